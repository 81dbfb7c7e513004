// Two identities without passwords: the server's, which sends, and the functions', which receive.

@description('Region of all resources.')
param location string

@description('Beginning of the names of the resources.')
param name string

@description('Tags of the resources.')
param tags object

resource server 'Microsoft.ManagedIdentity/userAssignedIdentities@2024-11-30' = {
  name: '${name}-server'
  location: location
  tags: tags
}

resource functions 'Microsoft.ManagedIdentity/userAssignedIdentities@2024-11-30' = {
  name: '${name}-functions'
  location: location
  tags: tags
}

@description('Resource id of the server\'s identity.')
output serverId string = server.id

@description('Object id of the server\'s identity, for role assignments.')
output serverPrincipalId string = server.properties.principalId

@description('Client id of the server\'s identity, for tokens.')
output serverClientId string = server.properties.clientId

@description('Resource id of the functions\' identity.')
output functionsId string = functions.id

@description('Object id of the functions\' identity, for role assignments.')
output functionsPrincipalId string = functions.properties.principalId

@description('Client id of the functions\' identity, for tokens.')
output functionsClientId string = functions.properties.clientId
