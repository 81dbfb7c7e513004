// The server: a virtual machine with a Premium SSD v2 disk for the data. The disk outlives the machine.

@description('Region of all resources.')
param location string

@description('Name of the machine, and beginning of the names of what belongs to it.')
param name string

@description('Tags of the resources.')
param tags object

@description('True when the machine is made. Azure refuses to change what an existing one was first started with.')
param isNew bool

@description('Availability zone of the machine and its disk. A Premium SSD v2 disk attaches to machines of its zone only.')
@allowed(['1', '2', '3'])
param zone string

@description('Size of the machine; one that takes Premium SSD v2 disks.')
param size string

@description('Name of the administrator. Nobody logs on as long as no rule lets SSH in.')
param adminUsername string

@description('Public SSH key of the administrator.')
param adminSshPublicKey string

@description('Size of the data disk, in GiB.')
@minValue(4)
@maxValue(65536)
param diskSizeGB int

@description('IOPS of the data disk. 3,000 cost nothing; up to 500 for each GiB can be bought, 80,000 at most.')
@minValue(3000)
@maxValue(80000)
param diskIops int

@description('Throughput of the data disk, in MB/s. 125 cost nothing; up to 0.25 for each IOPS can be bought, 2,000 at most.')
@minValue(125)
@maxValue(2000)
param diskMBps int

@description('Sector size of the data disk, in bytes. It is chosen once, when the disk is made.')
@allowed([512, 4096])
param diskSectorSize int

@description('Resource id of a snapshot that the data disk is made from; empty for a new disk. Run new-history afterwards: see infra/README.md.')
param diskSnapshotId string

@description('Resource id of the subnet.')
param subnetId string

@description('True for a public address, by which the allowed clients reach the server.')
param publicAddress bool

@description('Port that the server listens on.')
param port int

@description('Host name that clients use and that the certificate holds for; empty for the machine\'s own.')
param hostName string

@description('Resource id of the server\'s identity.')
param identityId string

@description('Client id of the server\'s identity.')
param identityClientId string

@description('Address of the vault of the server\'s certificate.')
param vaultUri string

@description('Address of the container that the server is deployed from.')
param packagesUri string

@description('Resource id of the rule that says which logs and counters the machine sends.')
param collectionRuleId string

var marks = [
  { mark: 'unit', text: base64(loadTextContent('../../systemd/jackdaw.service')) }
  { mark: 'certificateUnit', text: base64(loadTextContent('../../systemd/jackdaw-certificate.service')) }
  { mark: 'certificateTimer', text: base64(loadTextContent('../../systemd/jackdaw-certificate.timer')) }
  { mark: 'settings', text: base64(loadTextContent('../../systemd/settings.json')) }
  { mark: 'diskScript', text: base64(loadTextContent('../../machine/jackdaw-disk')) }
  { mark: 'certificateScript', text: base64(loadTextContent('../../machine/jackdaw-certificate')) }
  { mark: 'updateScript', text: base64(loadTextContent('../../machine/jackdaw-update')) }
  { mark: 'publicUrl', text: 'https://${reachedAs}:${port}' }
  { mark: 'identityClientId', text: identityClientId }
  { mark: 'vaultUri', text: vaultUri }
  { mark: 'packagesUri', text: packagesUri }
]
var cloudInit = reduce(marks, loadTextContent('../../machine/cloud-init.yaml'), (text, next) => replace(text, '{{${next.mark}}}', next.text))
var dnsLabel = toLower('${name}-${uniqueString(resourceGroup().id)}')
var azureName = publicAddress ? '${dnsLabel}.${location}.cloudapp.azure.com' : name
var reachedAs = empty(hostName) ? azureName : hostName

resource address 'Microsoft.Network/publicIPAddresses@2025-07-01' = if (publicAddress) {
  name: name
  location: location
  tags: tags
  sku: { name: 'Standard' }
  zones: [zone]
  properties: {
    publicIPAllocationMethod: 'Static'
    dnsSettings: { domainNameLabel: dnsLabel }
  }
}

resource card 'Microsoft.Network/networkInterfaces@2025-07-01' = {
  name: name
  location: location
  tags: tags
  properties: {
    ipConfigurations: [
      {
        name: 'default'
        properties: {
          subnet: { id: subnetId }
          privateIPAllocationMethod: 'Dynamic'
          publicIPAddress: publicAddress ? { id: address.id } : null
        }
      }
    ]
  }
}

resource data 'Microsoft.Compute/disks@2025-01-02' = {
  name: '${name}-data'
  location: location
  tags: tags
  zones: [zone]
  sku: { name: 'PremiumV2_LRS' }
  properties: {
    creationData: empty(diskSnapshotId)
      ? { createOption: 'Empty', logicalSectorSize: diskSectorSize }
      : { createOption: 'Copy', sourceResourceId: diskSnapshotId, logicalSectorSize: diskSectorSize }
    diskSizeGB: diskSizeGB
    diskIOPSReadWrite: diskIops
    diskMBpsReadWrite: diskMBps
    networkAccessPolicy: 'DenyAll'
    publicNetworkAccess: 'Disabled'
  }
}

resource machine 'Microsoft.Compute/virtualMachines@2025-04-01' = {
  name: name
  location: location
  tags: tags
  zones: [zone]
  identity: {
    type: 'UserAssigned'
    userAssignedIdentities: { '${identityId}': {} }
  }
  properties: {
    hardwareProfile: { vmSize: size }
    osProfile: {
      computerName: name
      adminUsername: adminUsername
      // Read at the machine's first start only; what changes later comes with the server's package.
      customData: isNew ? base64(cloudInit) : null
      linuxConfiguration: {
        disablePasswordAuthentication: true
        ssh: { publicKeys: [{ path: '/home/${adminUsername}/.ssh/authorized_keys', keyData: adminSshPublicKey }] }
        patchSettings: { patchMode: 'ImageDefault' }
      }
    }
    storageProfile: {
      imageReference: { publisher: 'Debian', offer: 'debian-12', sku: '12-gen2', version: 'latest' }
      osDisk: {
        createOption: 'FromImage'
        caching: 'ReadWrite'
        managedDisk: { storageAccountType: 'Premium_LRS' }
        deleteOption: 'Delete'
      }
      dataDisks: [
        {
          lun: 0
          createOption: 'Attach'
          // A cache of the host could acknowledge what it then loses; Premium SSD v2 has none.
          caching: 'None'
          managedDisk: { id: data.id }
          deleteOption: 'Detach'
        }
      ]
    }
    networkProfile: {
      networkInterfaces: [{ id: card.id, properties: { deleteOption: 'Delete' } }]
    }
    diagnosticsProfile: { bootDiagnostics: { enabled: true } }
  }
}

resource agent 'Microsoft.Compute/virtualMachines/extensions@2025-04-01' = {
  parent: machine
  name: 'AzureMonitorLinuxAgent'
  location: location
  tags: tags
  properties: {
    publisher: 'Microsoft.Azure.Monitor'
    type: 'AzureMonitorLinuxAgent'
    typeHandlerVersion: '1.33'
    autoUpgradeMinorVersion: true
    enableAutomaticUpgrade: true
    settings: {
      authentication: { managedIdentity: { 'identifier-name': 'mi_res_id', 'identifier-value': identityId } }
    }
  }
}

resource collection 'Microsoft.Insights/dataCollectionRuleAssociations@2024-03-11' = {
  scope: machine
  name: 'server'
  properties: { dataCollectionRuleId: collectionRuleId }
  dependsOn: [agent]
}

@description('Name of the machine.')
output machineName string = machine.name

@description('Name of the data disk.')
output diskName string = data.name

@description('Host name that the certificate must hold for.')
output hostName string = reachedAs

@description('Address that clients use.')
output url string = 'https://${reachedAs}:${port}'
