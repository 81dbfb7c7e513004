// Two storage accounts without shared keys: one for messages (queues, claim checks), one for the functions' host and the packages that are deployed.

@description('Region of all resources.')
param location string

@description('Name of the account of messages.')
@minLength(3)
@maxLength(24)
param messagesName string

@description('Name of the account of the functions\' host and of packages.')
@minLength(3)
@maxLength(24)
param hostName string

@description('Tags of the resources.')
param tags object

@description('Replication within the region.')
@allowed(['Standard_LRS', 'Standard_ZRS'])
param sku string

@description('Queues that ETL tasks send to. Each gets a poison queue.')
param queues array

@description('Queue of the functions\' dead letters.')
param deadLetterQueue string

@description('Days after which a claim check is deleted. It must outlive its message: messages expire only where the connection string of the ETL tasks has TimeToLiveInSec, such as 604800 for 7 days.')
@minValue(8)
@maxValue(365)
param claimCheckDays int

@description('Subnets that reach the accounts over service endpoints.')
param subnetIds array

@description('Address ranges of machines that deploy from outside of the virtual network.')
param deployerAddressRanges array

@description('True when the accounts are reached over private endpoints only.')
param privateOnly bool

var open = empty(deployerAddressRanges) && !privateOnly
var rules = {
  bypass: 'None'
  defaultAction: open ? 'Allow' : 'Deny'
  ipRules: map(deployerAddressRanges, cidr => { value: cidr, action: 'Allow' })
  virtualNetworkRules: privateOnly ? [] : map(subnetIds, subnetId => { id: subnetId, action: 'Allow' })
}
var publicAccess = privateOnly && empty(deployerAddressRanges) ? 'Disabled' : 'Enabled'

resource messages 'Microsoft.Storage/storageAccounts@2025-06-01' = {
  name: messagesName
  location: location
  tags: tags
  kind: 'StorageV2'
  sku: { name: sku }
  properties: {
    allowSharedKeyAccess: false
    allowBlobPublicAccess: false
    defaultToOAuthAuthentication: true
    minimumTlsVersion: 'TLS1_2'
    supportsHttpsTrafficOnly: true
    publicNetworkAccess: publicAccess
    networkAcls: rules
  }
}

resource messageBlobs 'Microsoft.Storage/storageAccounts/blobServices@2025-06-01' = {
  parent: messages
  name: 'default'
}

resource claimChecks 'Microsoft.Storage/storageAccounts/blobServices/containers@2025-06-01' = {
  parent: messageBlobs
  name: 'claim-checks'
}

// For dead letters that are too large for a queue.
resource largeDeadLetters 'Microsoft.Storage/storageAccounts/blobServices/containers@2025-06-01' = {
  parent: messageBlobs
  name: 'dead-letters'
}

resource claimCheckEnd 'Microsoft.Storage/storageAccounts/managementPolicies@2025-06-01' = {
  parent: messages
  name: 'default'
  properties: {
    policy: {
      rules: [
        {
          name: 'claim-checks'
          enabled: true
          type: 'Lifecycle'
          definition: {
            filters: { blobTypes: ['blockBlob'], prefixMatch: ['${claimChecks.name}/', '${largeDeadLetters.name}/'] }
            actions: { baseBlob: { delete: { daysAfterCreationGreaterThan: claimCheckDays } } }
          }
        }
      ]
    }
  }
}

resource messageQueues 'Microsoft.Storage/storageAccounts/queueServices@2025-06-01' = {
  parent: messages
  name: 'default'
}

// Made here, so that neither the server nor the functions need the right to make queues.
resource sent 'Microsoft.Storage/storageAccounts/queueServices/queues@2025-06-01' = [
  for queue in queues: {
    parent: messageQueues
    name: queue
  }
]

resource poison 'Microsoft.Storage/storageAccounts/queueServices/queues@2025-06-01' = [
  for queue in queues: {
    parent: messageQueues
    name: '${queue}-poison'
  }
]

resource deadLetters 'Microsoft.Storage/storageAccounts/queueServices/queues@2025-06-01' = {
  parent: messageQueues
  name: deadLetterQueue
}

resource host 'Microsoft.Storage/storageAccounts@2025-06-01' = {
  name: hostName
  location: location
  tags: tags
  kind: 'StorageV2'
  sku: { name: sku }
  properties: {
    allowSharedKeyAccess: false
    allowBlobPublicAccess: false
    defaultToOAuthAuthentication: true
    minimumTlsVersion: 'TLS1_2'
    supportsHttpsTrafficOnly: true
    publicNetworkAccess: publicAccess
    networkAcls: rules
  }
}

resource hostBlobs 'Microsoft.Storage/storageAccounts/blobServices@2025-06-01' = {
  parent: host
  name: 'default'
}

resource functionPackages 'Microsoft.Storage/storageAccounts/blobServices/containers@2025-06-01' = {
  parent: hostBlobs
  name: 'function-packages'
}

resource serverPackages 'Microsoft.Storage/storageAccounts/blobServices/containers@2025-06-01' = {
  parent: hostBlobs
  name: 'server-packages'
}

@description('Name of the account of messages.')
output messagesName string = messages.name

@description('Resource id of the account of messages.')
output messagesId string = messages.id

@description('Where the queues are reached.')
output queueEndpoint string = messages.properties.primaryEndpoints.queue

@description('Where claim checks are reached.')
output claimCheckEndpoint string = messages.properties.primaryEndpoints.blob

@description('Name of the container of claim checks.')
output claimCheckContainer string = claimChecks.name

@description('Name of the container of large dead letters.')
output deadLetterContainer string = largeDeadLetters.name

@description('Name of the account of the functions\' host and of packages.')
output hostName string = host.name

@description('Resource id of the account of the functions\' host and of packages.')
output hostId string = host.id

@description('Where packages are reached.')
output packageEndpoint string = host.properties.primaryEndpoints.blob

@description('Name of the container that the functions are deployed from.')
output functionPackageContainer string = functionPackages.name

@description('Name of the container that the server is deployed from.')
output serverPackageContainer string = serverPackages.name
