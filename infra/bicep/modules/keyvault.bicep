// A key vault with the certificate of one identity. The server's and the functions' are apart: whoever reads the server's key may do everything.

@description('Region of all resources.')
param location string

@description('Name of the vault.')
@minLength(3)
@maxLength(24)
param name string

@description('Tags of the resources.')
param tags object

@description('Subnet whose machines read the certificate.')
param subnetId string

@description('Address ranges of machines that deploy from outside of the virtual network.')
param deployerAddressRanges array

@description('True when the vault is reached over private endpoints only.')
param privateOnly bool

@description('Keeps a deleted vault, and refuses to delete it for good, for 90 days. It cannot be switched off again.')
param purgeProtection bool

resource vault 'Microsoft.KeyVault/vaults@2025-05-01' = {
  name: name
  location: location
  tags: tags
  properties: {
    tenantId: subscription().tenantId
    sku: { family: 'A', name: 'standard' }
    enableRbacAuthorization: true
    enableSoftDelete: true
    softDeleteRetentionInDays: 90
    // Azure refuses false; null leaves it off.
    enablePurgeProtection: purgeProtection ? true : null
    publicNetworkAccess: privateOnly && empty(deployerAddressRanges) ? 'Disabled' : 'Enabled'
    networkAcls: {
      bypass: 'None'
      defaultAction: empty(deployerAddressRanges) && !privateOnly ? 'Allow' : 'Deny'
      ipRules: map(deployerAddressRanges, cidr => { value: cidr })
      virtualNetworkRules: privateOnly ? [] : [{ id: subnetId }]
    }
  }
}

@description('Name of the vault.')
output name string = vault.name

@description('Resource id of the vault.')
output id string = vault.id

@description('Address of the vault, with a slash at its end.')
output uri string = vault.properties.vaultUri
