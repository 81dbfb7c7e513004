// The function app: Flex Consumption for queues, event hubs and Kafka; a Dedicated plan where RabbitMQ is used.

@description('Region of all resources.')
param location string

@description('Name of the app.')
param name string

@description('Tags of the resources.')
param tags object

@description('Flex scales to nothing and cannot take RabbitMQ; Dedicated runs always.')
@allowed(['Flex', 'Dedicated'])
param plan string

@description('Size of the Dedicated plan.')
@allowed(['B1', 'P0v3', 'P1v3'])
param dedicatedSize string

@description('The most instances of the Flex plan.')
@minValue(40)
@maxValue(1000)
param maximumInstances int

@description('Memory of an instance of the Flex plan, in MB.')
@allowed([512, 2048, 4096])
param instanceMemoryMB int

@description('Version of the runtime of custom handlers in the Flex plan.')
param customHandlerVersion string

@description('Resource id of the subnet of the functions.')
param subnetId string

@description('Resource id of the functions\' identity.')
param identityId string

@description('Client id of the functions\' identity.')
param identityClientId string

@description('Name of the account of the host.')
param hostStorageName string

@description('Address of the container that the functions are deployed from.')
param packagesUri string

@description('Address of the queues that the functions receive from.')
param queueEndpoint string

@description('Address of the blobs that claim checks are fetched from.')
param claimCheckEndpoint string

@description('Queue, topic or event hub of orders.')
param ordersQueue string

@description('Queue, topic or event hub of accounts.')
param accountsQueue string

@description('Queue of dead letters.')
param deadLetterQueue string

@description('Container of dead letters that are too large for a queue.')
param deadLetterContainer string

@description('Database that messages come from.')
param sourceDatabase string

@description('Database of the read model.')
param readModelDatabase string

@description('Host name of the Event Hubs namespace; empty when there is none.')
param eventHubsHostName string

@description('Kafka brokers that the functions receive from; empty when there are none.')
param kafkaBootstrapServers string

@description('Address of RabbitMQ as a reference to a secret of the vault or a plain address without a password; empty when there is none.')
param rabbitMqAddress string

@description('Connection string of Application Insights.')
param insightsConnectionString string

@description('Address of the server.')
param serverUrl string

@description('Pin of the server\'s public key; empty until the certificate is made.')
param serverPin string

@description('Address of the vault of the functions\' certificate.')
param vaultUri string

var settings = concat(
  [
    { name: 'AzureWebJobsStorage__accountName', value: hostStorageName }
    { name: 'AzureWebJobsStorage__credential', value: 'managedidentity' }
    { name: 'AzureWebJobsStorage__clientId', value: identityClientId }
    { name: 'APPLICATIONINSIGHTS_CONNECTION_STRING', value: insightsConnectionString }
    { name: 'APPLICATIONINSIGHTS_AUTHENTICATION_STRING', value: 'ClientId=${identityClientId};Authorization=AAD' }
    // host.json exempts traces from sampling, so that no dead letter escapes the alert. Two traces for each invocation would cost much:
    // the requests tell of them, too.
    { name: 'AzureFunctionsJobHost__logging__logLevel__Function', value: 'Warning' }
    { name: 'Queues__queueServiceUri', value: queueEndpoint }
    { name: 'Queues__credential', value: 'managedidentity' }
    { name: 'Queues__clientId', value: identityClientId }
    { name: 'ClaimChecks__blobServiceUri', value: claimCheckEndpoint }
    { name: 'ClaimChecks__clientId', value: identityClientId }
    { name: 'DeadLetterContainer', value: deadLetterContainer }
    { name: 'OrdersQueue', value: ordersQueue }
    { name: 'AccountsQueue', value: accountsQueue }
    { name: 'DeadLetterQueue', value: deadLetterQueue }
    { name: 'Jackdaw__Url', value: serverUrl }
    { name: 'Jackdaw__SourceDatabase', value: sourceDatabase }
    { name: 'Jackdaw__ReadModelDatabase', value: readModelDatabase }
    // The PFX in base64, as the vault keeps it.
    { name: 'Jackdaw__ClientCertificate', value: '@Microsoft.KeyVault(SecretUri=${vaultUri}secrets/functions/)' }
    // The server's certificate is its own signer: the functions know it by its public key, which renewals keep.
    { name: 'Jackdaw__ServerPin', value: serverPin }
  ],
  empty(eventHubsHostName)
    ? []
    : [
        { name: 'EventHubs__fullyQualifiedNamespace', value: eventHubsHostName }
        { name: 'EventHubs__credential', value: 'managedidentity' }
        { name: 'EventHubs__clientId', value: identityClientId }
      ],
  empty(kafkaBootstrapServers) ? [] : [{ name: 'Kafka', value: kafkaBootstrapServers }],
  empty(rabbitMqAddress) ? [] : [{ name: 'RabbitMq', value: rabbitMqAddress }],
  // Functions of queues always run: dead letters of every transport are sent again through a queue.
  flatten(
    map(
      concat(
        empty(eventHubsHostName) ? ['EventHubs'] : [],
        empty(kafkaBootstrapServers) ? ['Kafka'] : [],
        empty(rabbitMqAddress) ? ['RabbitMq'] : []
      ),
      transport => [
        { name: 'AzureWebJobs.OrdersFrom${transport}.Disabled', value: 'true' }
        { name: 'AzureWebJobs.AccountsFrom${transport}.Disabled', value: 'true' }
      ]
    )
  )
)

// Flex has these in functionAppConfig.
var dedicatedSettings = [
  { name: 'FUNCTIONS_WORKER_RUNTIME', value: 'custom' }
  { name: 'FUNCTIONS_EXTENSION_VERSION', value: '~4' }
  { name: 'WEBSITE_RUN_FROM_PACKAGE', value: '1' }
]

resource hosting 'Microsoft.Web/serverfarms@2025-03-01' = {
  name: name
  location: location
  tags: tags
  kind: 'functionapp'
  sku: plan == 'Flex' ? { name: 'FC1', tier: 'FlexConsumption' } : { name: dedicatedSize }
  properties: { reserved: true }
}

resource app 'Microsoft.Web/sites@2025-03-01' = {
  name: name
  location: location
  tags: tags
  kind: 'functionapp,linux'
  identity: {
    type: 'UserAssigned'
    userAssignedIdentities: { '${identityId}': {} }
  }
  properties: {
    serverFarmId: hosting.id
    httpsOnly: true
    virtualNetworkSubnetId: subnetId
    outboundVnetRouting: { allTraffic: true }
    keyVaultReferenceIdentity: identityId
    functionAppConfig: plan == 'Flex'
      ? {
          deployment: {
            storage: {
              type: 'blobContainer'
              value: packagesUri
              authentication: { type: 'UserAssignedIdentity', userAssignedIdentityResourceId: identityId }
            }
          }
          runtime: { name: 'custom', version: customHandlerVersion }
          scaleAndConcurrency: { maximumInstanceCount: maximumInstances, instanceMemoryMB: instanceMemoryMB }
        }
      : null
    siteConfig: {
      alwaysOn: plan == 'Dedicated' ? true : null
      linuxFxVersion: plan == 'Dedicated' ? '' : null
      ftpsState: 'Disabled'
      minTlsVersion: '1.2'
      appSettings: concat(settings, plan == 'Dedicated' ? dedicatedSettings : [])
    }
  }
}

// Deployment by Entra ID only.
resource ftp 'Microsoft.Web/sites/basicPublishingCredentialsPolicies@2025-03-01' = {
  parent: app
  name: 'ftp'
  properties: { allow: false }
}

resource scm 'Microsoft.Web/sites/basicPublishingCredentialsPolicies@2025-03-01' = {
  parent: app
  name: 'scm'
  properties: { allow: false }
}

@description('Name of the app.')
output appName string = app.name
