// Event Hubs, which the server sends to over Kafka's protocol, without shared keys.

@description('Region of all resources.')
param location string

@description('Name of the namespace.')
@minLength(6)
@maxLength(50)
param name string

@description('Tags of the resources.')
param tags object

@description('How the server\'s tasks deliver. Transactional takes the Premium tier, where it is a preview; AtLeastOnce takes Standard.')
@allowed(['AtLeastOnce', 'Transactional'])
param delivery string

@description('Throughput units of the Standard tier, or processing units of Premium.')
@minValue(1)
@maxValue(16)
param capacity int

@description('Event hubs, which are the topics that ETL tasks send to.')
param hubs array

@description('Partitions of each event hub. They cannot be changed later in the Standard tier.')
@minValue(1)
@maxValue(32)
param partitions int

@description('Hours for which events are kept.')
@minValue(24)
@maxValue(168)
param retentionHours int

@description('Subnets that reach the namespace over service endpoints.')
param subnetIds array

@description('True when the namespace is reached over private endpoints only.')
param privateOnly bool

var tier = delivery == 'Transactional' ? 'Premium' : 'Standard'

resource namespace 'Microsoft.EventHub/namespaces@2024-01-01' = {
  name: name
  location: location
  tags: tags
  sku: { name: tier, tier: tier, capacity: capacity }
  properties: {
    disableLocalAuth: true
    kafkaEnabled: true
    minimumTlsVersion: '1.2'
    publicNetworkAccess: privateOnly ? 'Disabled' : 'Enabled'
  }
}

resource access 'Microsoft.EventHub/namespaces/networkRuleSets@2024-01-01' = if (!privateOnly) {
  parent: namespace
  name: 'default'
  properties: {
    defaultAction: 'Deny'
    publicNetworkAccess: 'Enabled'
    virtualNetworkRules: map(subnetIds, subnetId => { subnet: { id: subnetId } })
  }
}

resource topics 'Microsoft.EventHub/namespaces/eventhubs@2024-01-01' = [
  for hub in hubs: {
    parent: namespace
    name: hub
    properties: {
      partitionCount: partitions
      retentionDescription: { cleanupPolicy: 'Delete', retentionTimeInHours: retentionHours }
    }
  }
]

// Of their own, so that another reader of the default group does not take the functions' partitions.
resource readers 'Microsoft.EventHub/namespaces/eventhubs/consumergroups@2024-01-01' = [
  for (hub, index) in hubs: {
    parent: topics[index]
    name: 'functions'
  }
]

@description('Name of the namespace.')
output namespaceName string = namespace.name

@description('Resource id of the namespace.')
output namespaceId string = namespace.id

@description('Host name of the namespace.')
output hostName string = '${namespace.name}.servicebus.windows.net'

@description('What an ETL task takes as BootstrapServers.')
output bootstrapServers string = '${namespace.name}.servicebus.windows.net:9093'

@description('What an ETL task takes as Delivery.')
output delivery string = delivery
