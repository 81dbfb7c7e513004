// A small deployment to try things on. It can be deleted for good.
using 'main.bicep'

param environmentName = 'dev'
param adminSshPublicKey = readEnvironmentVariable('JACKDAW_DEPLOY_SSH_KEY')
param newMachine = bool(readEnvironmentVariable('JACKDAW_DEPLOY_NEW_MACHINE', 'true'))
param serverPin = readEnvironmentVariable('JACKDAW_DEPLOY_SERVER_PIN', '')
param deployerPrincipalId = readEnvironmentVariable('JACKDAW_DEPLOY_PRINCIPAL_ID', '')
param deployerPrincipalType = readEnvironmentVariable('JACKDAW_DEPLOY_PRINCIPAL_TYPE', 'User')
param tags = { costs: 'development' }

param serverSize = 'Standard_D2s_v5'
param diskSizeGB = 32
param functionTriggers = ['queues', 'eventHubs']
param storageSku = 'Standard_LRS'
param purgeProtection = false
param logDailyQuotaGB = 1
