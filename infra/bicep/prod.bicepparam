// Durable and closed: private endpoints, zone-redundant queues, alerts. Deploy it from within the network, or name your addresses.
using 'main.bicep'

param environmentName = 'prod'
param adminSshPublicKey = readEnvironmentVariable('JACKDAW_DEPLOY_SSH_KEY')
param newMachine = bool(readEnvironmentVariable('JACKDAW_DEPLOY_NEW_MACHINE', 'true'))
param serverPin = readEnvironmentVariable('JACKDAW_DEPLOY_SERVER_PIN', '')
param deployerPrincipalId = readEnvironmentVariable('JACKDAW_DEPLOY_PRINCIPAL_ID', '')
param deployerPrincipalType = readEnvironmentVariable('JACKDAW_DEPLOY_PRINCIPAL_TYPE', 'ServicePrincipal')
param alertEmail = readEnvironmentVariable('JACKDAW_DEPLOY_ALERT_EMAIL', '')
param tags = { costs: 'production' }

param serverSize = 'Standard_D8s_v5'
param diskSizeGB = 512
param diskIops = 16000
param diskMBps = 600
param functionTriggers = ['queues', 'eventHubs']
param eventHubsDelivery = 'AtLeastOnce'
param eventHubsCapacity = 2
param eventHubsPartitions = 8
param storageSku = 'Standard_ZRS'
param claimCheckDays = 30
param privateEndpoints = true
param purgeProtection = true
param logRetentionDays = 90
param logDailyQuotaGB = 10
