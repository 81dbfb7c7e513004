// Who may do what: the least that works, and nobody by a shared key. infra/README.md names each role's documentation.

@description('Object id of the server\'s identity.')
param serverPrincipalId string

@description('Object id of the functions\' identity.')
param functionsPrincipalId string

@description('Object id of who deploys: may make certificates and upload packages. Empty for nobody.')
param deployerPrincipalId string

@description('Kind of who deploys.')
@allowed(['User', 'Group', 'ServicePrincipal'])
param deployerPrincipalType string

@description('Name of the account of messages.')
param messagesName string

@description('Name of the container of claim checks.')
param claimCheckContainer string

@description('Name of the container of large dead letters.')
param deadLetterContainer string

@description('Name of the account of the functions\' host.')
param hostName string

@description('Name of the container that the server is deployed from.')
param serverPackageContainer string

@description('Name of the container that the functions are deployed from.')
param functionPackageContainer string

@description('Name of the Event Hubs namespace; empty when there is none.')
param eventHubsName string

@description('Name of the vault of the server\'s certificate.')
param serverVaultName string

@description('Name of the vault of the functions\' certificate.')
param functionsVaultName string

@description('Name of the functions\' Application Insights.')
param insightsName string

var roles = {
  blobContributor: 'ba92f5b4-2d11-453d-a403-e96b0029c9fe'
  blobOwner: 'b7e6dc6d-f1e8-4753-8033-0f276bb0955b'
  blobReader: '2a2b9908-6ea1-4ae2-8e65-a410df84e7d1'
  certificatesOfficer: 'a4417e6f-fecd-4de8-b567-7b0420556985'
  eventHubsReceiver: 'a638d3c7-ab3a-418d-83e6-5f17a39d4fde'
  eventHubsSender: '2b629674-e913-4c01-ae53-ef4638d8f975'
  metricsPublisher: '3913510d-42f4-4e42-8a64-420c390055eb'
  queueProcessor: '8a0f0c08-91a1-4084-bc3d-661d67233fed'
  queueReader: '19e7f393-937e-4f77-808e-94535e297925'
  queueSender: 'c6a89b2d-59bc-44d0-9896-0f6e12d7b80a'
  secretsUser: '4633458b-17de-408a-b874-0445c86b69e6'
  tableContributor: '0a9a7e1f-b9d0-4cc4-a60d-0319b160aaa3'
}

resource messages 'Microsoft.Storage/storageAccounts@2025-06-01' existing = {
  name: messagesName
}

resource claimChecks 'Microsoft.Storage/storageAccounts/blobServices/containers@2025-06-01' existing = {
  name: '${messagesName}/default/${claimCheckContainer}'
}

resource deadLetters 'Microsoft.Storage/storageAccounts/blobServices/containers@2025-06-01' existing = {
  name: '${messagesName}/default/${deadLetterContainer}'
}

resource host 'Microsoft.Storage/storageAccounts@2025-06-01' existing = {
  name: hostName
}

resource serverPackages 'Microsoft.Storage/storageAccounts/blobServices/containers@2025-06-01' existing = {
  name: '${hostName}/default/${serverPackageContainer}'
}

resource functionPackages 'Microsoft.Storage/storageAccounts/blobServices/containers@2025-06-01' existing = {
  name: '${hostName}/default/${functionPackageContainer}'
}

resource eventHubs 'Microsoft.EventHub/namespaces@2024-01-01' existing = if (!empty(eventHubsName)) {
  name: empty(eventHubsName) ? 'none' : eventHubsName
}

resource serverVault 'Microsoft.KeyVault/vaults@2025-05-01' existing = {
  name: serverVaultName
}

resource functionsVault 'Microsoft.KeyVault/vaults@2025-05-01' existing = {
  name: functionsVaultName
}

resource insights 'Microsoft.Insights/components@2020-02-02' existing = {
  name: insightsName
}

// The server: sends to queues that are there, keeps claim checks, sends to event hubs, reads its own certificate and its packages.
resource serverSends 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  scope: messages
  name: guid(messages.id, serverPrincipalId, roles.queueSender)
  properties: {
    principalId: serverPrincipalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roles.queueSender)
  }
}

resource serverKeepsClaimChecks 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  scope: claimChecks
  name: guid(claimChecks.id, serverPrincipalId, roles.blobContributor)
  properties: {
    principalId: serverPrincipalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roles.blobContributor)
  }
}

resource serverSendsEvents 'Microsoft.Authorization/roleAssignments@2022-04-01' = if (!empty(eventHubsName)) {
  scope: eventHubs
  name: guid(eventHubs.id, serverPrincipalId, roles.eventHubsSender)
  properties: {
    principalId: serverPrincipalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roles.eventHubsSender)
  }
}

resource serverReadsCertificate 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  scope: serverVault
  name: guid(serverVault.id, serverPrincipalId, roles.secretsUser)
  properties: {
    principalId: serverPrincipalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roles.secretsUser)
  }
}

resource serverReadsPackages 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  scope: serverPackages
  name: guid(serverPackages.id, serverPrincipalId, roles.blobReader)
  properties: {
    principalId: serverPrincipalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roles.blobReader)
  }
}

// The functions: receive from queues, write poison messages and dead letters, fetch claim checks, receive from event hubs, read their own certificate.
resource functionsReceive 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for role in [roles.queueReader, roles.queueProcessor, roles.queueSender]: {
    scope: messages
    name: guid(messages.id, functionsPrincipalId, role)
    properties: {
      principalId: functionsPrincipalId
      principalType: 'ServicePrincipal'
      roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', role)
    }
  }
]

resource functionsFetchClaimChecks 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  scope: claimChecks
  name: guid(claimChecks.id, functionsPrincipalId, roles.blobReader)
  properties: {
    principalId: functionsPrincipalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roles.blobReader)
  }
}

resource functionsKeepDeadLetters 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  scope: deadLetters
  name: guid(deadLetters.id, functionsPrincipalId, roles.blobContributor)
  properties: {
    principalId: functionsPrincipalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roles.blobContributor)
  }
}

resource functionsReceiveEvents 'Microsoft.Authorization/roleAssignments@2022-04-01' = if (!empty(eventHubsName)) {
  scope: eventHubs
  name: guid(eventHubs.id, functionsPrincipalId, roles.eventHubsReceiver)
  properties: {
    principalId: functionsPrincipalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roles.eventHubsReceiver)
  }
}

resource functionsReadCertificate 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  scope: functionsVault
  name: guid(functionsVault.id, functionsPrincipalId, roles.secretsUser)
  properties: {
    principalId: functionsPrincipalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roles.secretsUser)
  }
}

// The host's locks and checkpoints are blobs, its diagnostic events a table.
resource functionsHost 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for role in [roles.blobOwner, roles.tableContributor]: {
    scope: host
    name: guid(host.id, functionsPrincipalId, role)
    properties: {
      principalId: functionsPrincipalId
      principalType: 'ServicePrincipal'
      roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', role)
    }
  }
]

resource functionsTell 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  scope: insights
  name: guid(insights.id, functionsPrincipalId, roles.metricsPublisher)
  properties: {
    principalId: functionsPrincipalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roles.metricsPublisher)
  }
}

resource deployerMakesServerCertificate 'Microsoft.Authorization/roleAssignments@2022-04-01' = if (!empty(deployerPrincipalId)) {
  scope: serverVault
  name: guid(serverVault.id, deployerPrincipalId, roles.certificatesOfficer)
  properties: {
    principalId: deployerPrincipalId
    principalType: deployerPrincipalType
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roles.certificatesOfficer)
  }
}

resource deployerMakesFunctionsCertificate 'Microsoft.Authorization/roleAssignments@2022-04-01' = if (!empty(deployerPrincipalId)) {
  scope: functionsVault
  name: guid(functionsVault.id, deployerPrincipalId, roles.certificatesOfficer)
  properties: {
    principalId: deployerPrincipalId
    principalType: deployerPrincipalType
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roles.certificatesOfficer)
  }
}

resource deployerUploadsServer 'Microsoft.Authorization/roleAssignments@2022-04-01' = if (!empty(deployerPrincipalId)) {
  scope: serverPackages
  name: guid(serverPackages.id, deployerPrincipalId, roles.blobContributor)
  properties: {
    principalId: deployerPrincipalId
    principalType: deployerPrincipalType
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roles.blobContributor)
  }
}

resource deployerUploadsFunctions 'Microsoft.Authorization/roleAssignments@2022-04-01' = if (!empty(deployerPrincipalId)) {
  scope: functionPackages
  name: guid(functionPackages.id, deployerPrincipalId, roles.blobContributor)
  properties: {
    principalId: deployerPrincipalId
    principalType: deployerPrincipalType
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roles.blobContributor)
  }
}
