// The virtual network: a subnet each for the server, the functions and private endpoints, and what may pass between them.

@description('Region of all resources.')
param location string

@description('Beginning of the names of the resources.')
param name string

@description('Tags of the resources.')
param tags object

@description('Address range of the virtual network, at least a /22.')
param addressSpace string

@description('Availability zone of the gateway through which the subnets reach the internet; the same as the server\'s.')
@allowed(['1', '2', '3'])
param zone string

@description('Plan that the functions run on: it decides to whom their subnet is delegated.')
@allowed(['Flex', 'Dedicated'])
param functionsPlan string

@description('Port that the server listens on.')
param serverPort int

@description('Address ranges of clients outside of the virtual network that may reach the server.')
param clientAddressRanges array

var serviceEndpoints = [
  { service: 'Microsoft.KeyVault' }
  { service: 'Microsoft.Storage' }
  { service: 'Microsoft.EventHub' }
]

resource serverRules 'Microsoft.Network/networkSecurityGroups@2025-07-01' = {
  name: '${name}-server'
  location: location
  tags: tags
  properties: {
    securityRules: concat(
      [
        {
          name: 'functions-to-server'
          properties: {
            description: 'The functions write to the read model.'
            priority: 100
            direction: 'Inbound'
            access: 'Allow'
            protocol: 'Tcp'
            sourceAddressPrefix: cidrSubnet(addressSpace, 24, 1)
            sourcePortRange: '*'
            destinationAddressPrefix: cidrSubnet(addressSpace, 24, 0)
            destinationPortRange: string(serverPort)
          }
        }
        {
          name: 'nothing-else'
          properties: {
            description: 'Nobody else of the network reaches the machine, not by SSH either.'
            priority: 4096
            direction: 'Inbound'
            access: 'Deny'
            protocol: '*'
            sourceAddressPrefix: '*'
            sourcePortRange: '*'
            destinationAddressPrefix: '*'
            destinationPortRange: '*'
          }
        }
      ],
      empty(clientAddressRanges)
        ? []
        : [
            {
              name: 'clients-to-server'
              properties: {
                description: 'Clients outside of the virtual network; the server asks each for its certificate.'
                priority: 110
                direction: 'Inbound'
                access: 'Allow'
                protocol: 'Tcp'
                sourceAddressPrefixes: clientAddressRanges
                sourcePortRange: '*'
                destinationAddressPrefix: cidrSubnet(addressSpace, 24, 0)
                destinationPortRange: string(serverPort)
              }
            }
          ]
    )
  }
}

// Functions are called by their queues only: nothing comes in.
resource functionsRules 'Microsoft.Network/networkSecurityGroups@2025-07-01' = {
  name: '${name}-functions'
  location: location
  tags: tags
}

resource outboundAddress 'Microsoft.Network/publicIPAddresses@2025-07-01' = {
  name: '${name}-outbound'
  location: location
  tags: tags
  sku: { name: 'Standard' }
  zones: [zone]
  properties: {
    publicIPAllocationMethod: 'Static'
  }
}

// New virtual networks have no way out of their own: the machine needs one for Debian's packages, the functions for their effects.
resource outbound 'Microsoft.Network/natGateways@2025-07-01' = {
  name: '${name}-outbound'
  location: location
  tags: tags
  sku: { name: 'Standard' }
  zones: [zone]
  properties: {
    idleTimeoutInMinutes: 10
    publicIpAddresses: [{ id: outboundAddress.id }]
  }
}

resource network 'Microsoft.Network/virtualNetworks@2025-07-01' = {
  name: name
  location: location
  tags: tags
  properties: {
    addressSpace: { addressPrefixes: [addressSpace] }
    subnets: [
      {
        name: 'server'
        properties: {
          addressPrefix: cidrSubnet(addressSpace, 24, 0)
          defaultOutboundAccess: false
          natGateway: { id: outbound.id }
          networkSecurityGroup: { id: serverRules.id }
          serviceEndpoints: serviceEndpoints
        }
      }
      {
        name: 'functions'
        properties: {
          addressPrefix: cidrSubnet(addressSpace, 24, 1)
          defaultOutboundAccess: false
          natGateway: { id: outbound.id }
          networkSecurityGroup: { id: functionsRules.id }
          serviceEndpoints: serviceEndpoints
          delegations: [
            {
              name: 'functions'
              properties: {
                serviceName: functionsPlan == 'Flex' ? 'Microsoft.App/environments' : 'Microsoft.Web/serverFarms'
              }
            }
          ]
        }
      }
      {
        name: 'private-endpoints'
        properties: {
          addressPrefix: cidrSubnet(addressSpace, 24, 2)
          defaultOutboundAccess: false
        }
      }
    ]
  }
}

@description('Resource id of the virtual network.')
output networkId string = network.id

@description('Resource id of the server\'s subnet.')
output serverSubnetId string = network.properties.subnets[0].id

@description('Resource id of the functions\' subnet.')
output functionsSubnetId string = network.properties.subnets[1].id

@description('Resource id of the subnet of private endpoints.')
output privateEndpointsSubnetId string = network.properties.subnets[2].id
