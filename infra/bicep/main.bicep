// Jackdaw on Azure: the server on a machine with a disk of its own, queues and event hubs that its ETL tasks send to, functions that receive.
// `./run deploy` deploys this and what runs on it; infra/README.md explains the choices and the costs.
targetScope = 'resourceGroup'

@description('What the deployment is for: it stands in names and tags.')
@allowed(['dev', 'prod'])
param environmentName string

@description('Region of all resources. It must have availability zones and Premium SSD v2.')
param location string = resourceGroup().location

@description('Beginning of all names.')
@minLength(2)
@maxLength(10)
param namePrefix string = 'jackdaw'

@description('Tags of all resources, beside the ones that the deployment adds.')
param tags object = {}

@description('Availability zone of the server and its disk.')
@allowed(['1', '2', '3'])
param zone string = '1'

@description('Address range of the virtual network, at least a /22.')
param addressSpace string = '10.40.0.0/22'

@description('True for a public address of the server. Only clientAddressRanges reach it, and only with a certificate.')
param publicAddress bool = false

@description('Address ranges of clients outside of the virtual network.')
param clientAddressRanges array = []

@description('Host name that clients use, when it is not the one that Azure gives.')
param serverHostName string = ''

@description('False when the server\'s machine is there already; ./run deploy fills it in.')
param newMachine bool = true

@description('Pin of the server\'s public key, by which the functions know it; ./run deploy fills it in.')
param serverPin string = ''

@description('Size of the server\'s machine; one that takes Premium SSD v2 disks.')
param serverSize string = 'Standard_D4s_v5'

@description('Name of the machine\'s administrator.')
param adminUsername string = 'operator'

@description('Public SSH key of the machine\'s administrator. Azure requires one; no rule lets SSH in.')
param adminSshPublicKey string

@description('Size of the data disk, in GiB.')
@minValue(4)
@maxValue(65536)
param diskSizeGB int = 64

@description('IOPS of the data disk; 3,000 cost nothing.')
@minValue(3000)
@maxValue(80000)
param diskIops int = 3000

@description('Throughput of the data disk, in MB/s; 125 cost nothing.')
@minValue(125)
@maxValue(2000)
param diskMBps int = 125

@description('Sector size of the data disk, in bytes; chosen once.')
@allowed([512, 4096])
param diskSectorSize int = 4096

@description('Resource id of a snapshot that the data disk is made from; empty for a new disk.')
param diskSnapshotId string = ''

@description('What triggers the functions. RabbitMQ needs the Dedicated plan.')
@allowed(['queues', 'eventHubs', 'kafka', 'rabbitMq'])
param functionTriggers array = ['queues', 'eventHubs']

@description('Plan of the functions; Auto takes Dedicated where RabbitMQ triggers them, else Flex.')
@allowed(['Auto', 'Flex', 'Dedicated'])
param functionsPlan string = 'Auto'

@description('Size of the Dedicated plan.')
@allowed(['B1', 'P0v3', 'P1v3'])
param dedicatedSize string = 'P0v3'

@description('The most instances of the Flex plan.')
@minValue(40)
@maxValue(1000)
param maximumInstances int = 40

@description('Memory of an instance of the Flex plan, in MB.')
@allowed([512, 2048, 4096])
param instanceMemoryMB int = 2048

@description('Version of the runtime of custom handlers in the Flex plan, as `az functionapp list-flexconsumption-runtimes --runtime custom` lists it.')
param customHandlerVersion string = '1.0'

@description('Queue, event hub or topic of orders, for the functions. Small letters.')
param ordersQueue string = 'orders'

@description('Queue, event hub or topic of accounts, for the functions. Small letters.')
param accountsQueue string = 'accounts'

@description('Queue of the functions\' dead letters.')
param deadLetterQueue string = 'dead-letters'

@description('Further queues that ETL tasks send to, in small letters.')
param queues array = []

@description('Further event hubs that ETL tasks send to.')
param eventHubs array = []

@description('Database that the functions\' messages come from.')
param sourceDatabase string = 'shop'

@description('Database of the functions\' read model.')
param readModelDatabase string = 'views'

@description('How tasks deliver to event hubs. Transactional takes the Premium tier, in which it is a preview.')
@allowed(['AtLeastOnce', 'Transactional'])
param eventHubsDelivery string = 'AtLeastOnce'

@description('Throughput units (Standard) or processing units (Premium) of Event Hubs.')
@minValue(1)
@maxValue(16)
param eventHubsCapacity int = 1

@description('Partitions of each event hub.')
@minValue(1)
@maxValue(32)
param eventHubsPartitions int = 4

@description('Hours for which event hubs keep events.')
@minValue(24)
@maxValue(168)
param eventHubsRetentionHours int = 168

@description('Brokers of a Kafka of your own, as host:port with commas between.')
param kafkaBootstrapServers string = ''

@description('Address of a RabbitMQ of your own. One with a password is a reference: @Microsoft.KeyVault(SecretUri=…).')
param rabbitMqAddress string = ''

@description('Replication of storage accounts within the region.')
@allowed(['Standard_LRS', 'Standard_ZRS'])
param storageSku string = 'Standard_ZRS'

@description('Days after which a claim check is deleted; more than a message lives. Messages expire only where the connection string of the ETL tasks has TimeToLiveInSec, such as 604800 for 7 days.')
@minValue(8)
@maxValue(365)
param claimCheckDays int = 14

@description('True when storage, vaults and event hubs are reached over private endpoints only.')
param privateEndpoints bool = false

@description('True when this deployment makes the private DNS zones.')
param createDnsZones bool = true

@description('Resource id of the resource group that has the private DNS zones, when this deployment does not make them.')
param dnsZoneGroupId string = ''

@description('Address ranges of the machines that deploy. Empty: with private endpoints, deploy from within the network; without, every address may try, with an identity.')
param deployerAddressRanges array = []

@description('Object id of who deploys, for making certificates and uploading packages; ./run deploy fills it in.')
param deployerPrincipalId string = ''

@description('Kind of who deploys.')
@allowed(['User', 'Group', 'ServicePrincipal'])
param deployerPrincipalType string = 'User'

@description('True refuses to delete the vaults for good for 90 days. It cannot be switched off again.')
param purgeProtection bool = true

@description('Days for which logs are kept.')
@minValue(30)
@maxValue(730)
param logRetentionDays int = 30

@description('The most that is logged in a day, in GB; -1 for no limit.')
param logDailyQuotaGB int = 5

@description('Address that alerts are sent to; empty for none.')
param alertEmail string = ''

var name = '${namePrefix}-${environmentName}'
// Names that are unique in the world, of the length that storage accounts and vaults allow.
var unique = uniqueString(resourceGroup().id, namePrefix, environmentName)
var compact = toLower(replace(namePrefix, '-', ''))
var port = 8443
var plan = functionsPlan == 'Auto' ? (contains(functionTriggers, 'rabbitMq') ? 'Dedicated' : 'Flex') : functionsPlan
var usesEventHubs = contains(functionTriggers, 'eventHubs')
var functionQueues = [ordersQueue, accountsQueue]
var allTags = union({ application: 'jackdaw', environment: environmentName }, tags)

module network 'modules/network.bicep' = {
  name: 'network'
  params: {
    location: location
    name: name
    tags: allTags
    addressSpace: addressSpace
    zone: zone
    functionsPlan: plan
    serverPort: port
    clientAddressRanges: clientAddressRanges
  }
}

module identity 'modules/identity.bicep' = {
  name: 'identity'
  params: {
    location: location
    name: name
    tags: allTags
  }
}

module monitoring 'modules/monitoring.bicep' = {
  name: 'monitoring'
  params: {
    location: location
    name: name
    tags: allTags
    retentionDays: logRetentionDays
    dailyQuotaGB: logDailyQuotaGB
    alertEmail: alertEmail
  }
}

module storage 'modules/storage.bicep' = {
  name: 'storage'
  params: {
    location: location
    messagesName: take('${compact}m${unique}', 24)
    hostName: take('${compact}h${unique}', 24)
    tags: allTags
    sku: storageSku
    queues: union(functionQueues, queues)
    deadLetterQueue: deadLetterQueue
    claimCheckDays: claimCheckDays
    subnetIds: [network.outputs.serverSubnetId, network.outputs.functionsSubnetId]
    deployerAddressRanges: deployerAddressRanges
    privateOnly: privateEndpoints
  }
}

module events 'modules/eventhubs.bicep' = if (usesEventHubs) {
  name: 'eventhubs'
  params: {
    location: location
    name: '${name}-${unique}'
    tags: allTags
    delivery: eventHubsDelivery
    capacity: eventHubsCapacity
    hubs: union(functionQueues, eventHubs)
    partitions: eventHubsPartitions
    retentionHours: eventHubsRetentionHours
    subnetIds: [network.outputs.serverSubnetId, network.outputs.functionsSubnetId]
    privateOnly: privateEndpoints
  }
}

module serverVault 'modules/keyvault.bicep' = {
  name: 'server-vault'
  params: {
    location: location
    name: take('${compact}s${unique}', 24)
    tags: allTags
    subnetId: network.outputs.serverSubnetId
    deployerAddressRanges: deployerAddressRanges
    privateOnly: privateEndpoints
    purgeProtection: purgeProtection
  }
}

module functionsVault 'modules/keyvault.bicep' = {
  name: 'functions-vault'
  params: {
    location: location
    name: take('${compact}f${unique}', 24)
    tags: allTags
    subnetId: network.outputs.functionsSubnetId
    deployerAddressRanges: deployerAddressRanges
    privateOnly: privateEndpoints
    purgeProtection: purgeProtection
  }
}

module privateLink 'modules/privatelink.bicep' = if (privateEndpoints) {
  name: 'privatelink'
  params: {
    location: location
    name: name
    tags: allTags
    networkId: network.outputs.networkId
    subnetId: network.outputs.privateEndpointsSubnetId
    messagesId: storage.outputs.messagesId
    hostId: storage.outputs.hostId
    eventHubsId: usesEventHubs ? events!.outputs.namespaceId : ''
    vaultIds: [serverVault.outputs.id, functionsVault.outputs.id]
    createZones: createDnsZones
    zoneGroupId: createDnsZones ? resourceGroup().id : dnsZoneGroupId
  }
}

module roles 'modules/roles.bicep' = {
  name: 'roles'
  params: {
    serverPrincipalId: identity.outputs.serverPrincipalId
    functionsPrincipalId: identity.outputs.functionsPrincipalId
    deployerPrincipalId: deployerPrincipalId
    deployerPrincipalType: deployerPrincipalType
    messagesName: storage.outputs.messagesName
    claimCheckContainer: storage.outputs.claimCheckContainer
    deadLetterContainer: storage.outputs.deadLetterContainer
    hostName: storage.outputs.hostName
    serverPackageContainer: storage.outputs.serverPackageContainer
    functionPackageContainer: storage.outputs.functionPackageContainer
    eventHubsName: usesEventHubs ? events!.outputs.namespaceName : ''
    serverVaultName: serverVault.outputs.name
    functionsVaultName: functionsVault.outputs.name
    insightsName: monitoring.outputs.insightsName
  }
}

module server 'modules/server.bicep' = {
  name: 'server'
  params: {
    location: location
    name: '${name}-server'
    tags: allTags
    isNew: newMachine
    zone: zone
    size: serverSize
    adminUsername: adminUsername
    adminSshPublicKey: adminSshPublicKey
    diskSizeGB: diskSizeGB
    diskIops: diskIops
    diskMBps: diskMBps
    diskSectorSize: diskSectorSize
    diskSnapshotId: diskSnapshotId
    subnetId: network.outputs.serverSubnetId
    publicAddress: publicAddress
    port: port
    hostName: serverHostName
    identityId: identity.outputs.serverId
    identityClientId: identity.outputs.serverClientId
    vaultUri: serverVault.outputs.uri
    packagesUri: '${storage.outputs.packageEndpoint}${storage.outputs.serverPackageContainer}'
    collectionRuleId: monitoring.outputs.collectionRuleId
  }
}

module functions 'modules/functions.bicep' = {
  name: 'functions'
  params: {
    location: location
    name: '${name}-functions-${unique}'
    tags: allTags
    plan: plan
    dedicatedSize: dedicatedSize
    maximumInstances: maximumInstances
    instanceMemoryMB: instanceMemoryMB
    customHandlerVersion: customHandlerVersion
    subnetId: network.outputs.functionsSubnetId
    identityId: identity.outputs.functionsId
    identityClientId: identity.outputs.functionsClientId
    hostStorageName: storage.outputs.hostName
    packagesUri: '${storage.outputs.packageEndpoint}${storage.outputs.functionPackageContainer}'
    queueEndpoint: storage.outputs.queueEndpoint
    claimCheckEndpoint: storage.outputs.claimCheckEndpoint
    ordersQueue: ordersQueue
    accountsQueue: accountsQueue
    deadLetterQueue: deadLetterQueue
    deadLetterContainer: storage.outputs.deadLetterContainer
    sourceDatabase: sourceDatabase
    readModelDatabase: readModelDatabase
    eventHubsHostName: usesEventHubs ? events!.outputs.hostName : ''
    kafkaBootstrapServers: contains(functionTriggers, 'kafka') ? kafkaBootstrapServers : ''
    rabbitMqAddress: contains(functionTriggers, 'rabbitMq') ? rabbitMqAddress : ''
    insightsConnectionString: monitoring.outputs.insightsConnectionString
    serverUrl: server.outputs.url
    serverPin: serverPin
    vaultUri: functionsVault.outputs.uri
  }
  dependsOn: [roles]
}

@description('Address that clients use.')
output serverUrl string = server.outputs.url

@description('Host name that the server\'s certificate must hold for.')
output serverHostName string = server.outputs.hostName

@description('Name of the server\'s machine.')
output serverMachineName string = server.outputs.machineName

@description('Name of the data disk, to take snapshots of.')
output dataDiskName string = server.outputs.diskName

@description('Name of the vault of the server\'s certificate.')
output serverVaultName string = serverVault.outputs.name

@description('Name of the vault of the functions\' certificate.')
output functionsVaultName string = functionsVault.outputs.name

@description('Name of the storage account of packages.')
output packageAccountName string = storage.outputs.hostName

@description('Name of the container that the server is deployed from.')
output serverPackageContainer string = storage.outputs.serverPackageContainer

@description('Name of the function app.')
output functionAppName string = functions.outputs.appName

@description('Name of the storage account that ETL tasks send to, for AzureQueueStorageConnectionSettings.Passwordless.')
output messagesAccountName string = storage.outputs.messagesName

@description('Container for ClaimCheckContainer of ETL tasks.')
output claimCheckContainer string = storage.outputs.claimCheckContainer

@description('Client id of the server\'s identity, for the ClientId of connection strings.')
output serverIdentityClientId string = identity.outputs.serverClientId

@description('BootstrapServers of ETL tasks to event hubs; empty when there are none.')
output eventHubsBootstrapServers string = usesEventHubs ? events!.outputs.bootstrapServers : ''

@description('Delivery of ETL tasks to event hubs; empty when there are none.')
output eventHubsDelivery string = usesEventHubs ? events!.outputs.delivery : ''
