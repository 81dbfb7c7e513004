// A private endpoint and a private DNS zone for each service that the server and the functions reach.

@description('Region of all resources.')
param location string

@description('Beginning of the names of the resources.')
param name string

@description('Tags of the resources.')
param tags object

@description('Resource id of the virtual network.')
param networkId string

@description('Resource id of the subnet that the endpoints lie in.')
param subnetId string

@description('Resource id of the account of messages.')
param messagesId string

@description('Resource id of the account of the functions\' host.')
param hostId string

@description('Resource id of the Event Hubs namespace; empty when there is none.')
param eventHubsId string

@description('Resource ids of the key vaults.')
param vaultIds array

@description('True when this deployment makes the DNS zones and links them. False where the organisation has them: then zoneGroupId names their resource group.')
param createZones bool

@description('Resource id of the resource group that holds the DNS zones; by default this one.')
param zoneGroupId string

var blobZone = 'privatelink.blob.${environment().suffixes.storage}'
var queueZone = 'privatelink.queue.${environment().suffixes.storage}'
var tableZone = 'privatelink.table.${environment().suffixes.storage}'
var vaultZone = 'privatelink.vaultcore.azure.net'
var eventHubsZone = 'privatelink.servicebus.windows.net'
var zones = concat([blobZone, queueZone, tableZone, vaultZone], empty(eventHubsId) ? [] : [eventHubsZone])

var endpoints = concat(
  [
    { name: 'messages-blob', target: messagesId, group: 'blob', zone: blobZone }
    { name: 'messages-queue', target: messagesId, group: 'queue', zone: queueZone }
    { name: 'host-blob', target: hostId, group: 'blob', zone: blobZone }
    { name: 'host-table', target: hostId, group: 'table', zone: tableZone }
  ],
  map(range(0, length(vaultIds)), i => { name: 'vault-${i}', target: vaultIds[i], group: 'vault', zone: vaultZone }),
  empty(eventHubsId) ? [] : [{ name: 'event-hubs', target: eventHubsId, group: 'namespace', zone: eventHubsZone }]
)

resource dnsZones 'Microsoft.Network/privateDnsZones@2024-06-01' = [
  for zone in (createZones ? zones : []): {
    name: zone
    location: 'global'
    tags: tags
  }
]

resource links 'Microsoft.Network/privateDnsZones/virtualNetworkLinks@2024-06-01' = [
  for (zone, index) in (createZones ? zones : []): {
    parent: dnsZones[index]
    name: name
    location: 'global'
    tags: tags
    properties: {
      registrationEnabled: false
      virtualNetwork: { id: networkId }
    }
  }
]

resource connections 'Microsoft.Network/privateEndpoints@2025-07-01' = [
  for endpoint in endpoints: {
    name: '${name}-${endpoint.name}'
    location: location
    tags: tags
    properties: {
      subnet: { id: subnetId }
      privateLinkServiceConnections: [
        {
          name: endpoint.name
          properties: { privateLinkServiceId: endpoint.target, groupIds: [endpoint.group] }
        }
      ]
    }
  }
]

resource records 'Microsoft.Network/privateEndpoints/privateDnsZoneGroups@2025-07-01' = [
  for (endpoint, index) in endpoints: {
    parent: connections[index]
    name: 'default'
    properties: {
      privateDnsZoneConfigs: [
        {
          name: endpoint.group
          properties: { privateDnsZoneId: '${zoneGroupId}/providers/Microsoft.Network/privateDnsZones/${endpoint.zone}' }
        }
      ]
    }
    dependsOn: [dnsZones]
  }
]
