// Logs and metrics: a workspace, Application Insights for the functions, what the server's machine sends, and alerts.

@description('Region of all resources.')
param location string

@description('Beginning of the names of the resources.')
param name string

@description('Tags of the resources.')
param tags object

@description('Days for which logs are kept.')
@minValue(30)
@maxValue(730)
param retentionDays int

@description('The most that the workspace takes in a day, in GB; -1 for no limit.')
param dailyQuotaGB int

@description('Address that alerts are sent to; empty for none.')
param alertEmail string

var syslog = 'Microsoft-Syslog'
var performance = 'Microsoft-Perf'
var destination = 'workspace'

resource workspace 'Microsoft.OperationalInsights/workspaces@2025-07-01' = {
  name: name
  location: location
  tags: tags
  properties: {
    sku: { name: 'PerGB2018' }
    retentionInDays: retentionDays
    workspaceCapping: { dailyQuotaGb: dailyQuotaGB }
    features: { disableLocalAuth: true }
  }
}

resource insights 'Microsoft.Insights/components@2020-02-02' = {
  name: '${name}-functions'
  location: location
  tags: tags
  kind: 'web'
  properties: {
    Application_Type: 'web'
    WorkspaceResourceId: workspace.id
    // The functions show their identity; a key in a setting is refused.
    DisableLocalAuth: true
  }
}

// The server logs to the journal, which hands on to syslog. A full disk, lacking memory and a slow disk show in the counters.
resource collection 'Microsoft.Insights/dataCollectionRules@2024-03-11' = {
  name: '${name}-server'
  location: location
  tags: tags
  kind: 'Linux'
  properties: {
    dataSources: {
      syslog: [
        {
          name: 'server'
          streams: [syslog]
          facilityNames: ['daemon', 'kern', 'syslog']
          logLevels: ['Info', 'Notice', 'Warning', 'Error', 'Critical', 'Alert', 'Emergency']
        }
      ]
      performanceCounters: [
        {
          name: 'machine'
          streams: [performance]
          samplingFrequencyInSeconds: 60
          counterSpecifiers: [
            'Processor(*)\\% Processor Time'
            'Memory(*)\\Available MBytes Memory'
            'Logical Disk(*)\\% Used Space'
            'Logical Disk(*)\\Free Megabytes'
            'Logical Disk(*)\\Disk Transfers/sec'
            'Logical Disk(*)\\Logical Disk Bytes/sec'
          ]
        }
      ]
    }
    destinations: {
      logAnalytics: [{ name: destination, workspaceResourceId: workspace.id }]
    }
    dataFlows: [{ streams: [syslog, performance], destinations: [destination] }]
  }
}

resource people 'microsoft.insights/actionGroups@2018-03-01' = if (!empty(alertEmail)) {
  name: name
  location: 'Global'
  tags: tags
  properties: {
    groupShortName: 'jackdaw'
    enabled: true
    emailReceivers: [{ name: 'operators', emailAddress: alertEmail }]
  }
}

resource silentServer 'Microsoft.Insights/scheduledQueryRules@2026-03-01' = if (!empty(alertEmail)) {
  name: '${name}-silent-server'
  location: location
  tags: tags
  kind: 'LogAlert'
  properties: {
    displayName: 'The server\'s machine has sent nothing for ten minutes'
    severity: 1
    enabled: true
    scopes: [workspace.id]
    evaluationFrequency: 'PT5M'
    windowSize: 'PT10M'
    criteria: {
      allOf: [
        {
          query: 'Heartbeat'
          timeAggregation: 'Count'
          operator: 'LessThan'
          threshold: 1
        }
      ]
    }
    actions: { actionGroups: [people.id] }
  }
}

resource fullDisk 'Microsoft.Insights/scheduledQueryRules@2026-03-01' = if (!empty(alertEmail)) {
  name: '${name}-full-disk'
  location: location
  tags: tags
  kind: 'LogAlert'
  properties: {
    displayName: 'The data disk is 80 % full'
    severity: 2
    enabled: true
    scopes: [workspace.id]
    evaluationFrequency: 'PT15M'
    windowSize: 'PT15M'
    criteria: {
      allOf: [
        {
          query: 'Perf | where ObjectName == "Logical Disk" and CounterName == "% Used Space" and InstanceName == "/var/lib/jackdaw"'
          timeAggregation: 'Maximum'
          metricMeasureColumn: 'CounterValue'
          operator: 'GreaterThan'
          threshold: 80
        }
      ]
    }
    actions: { actionGroups: [people.id] }
  }
}

// Azure counts messages by account and hour, not by queue, so the rule looks for what is said when a letter is written: the function app
// about a dead letter, Azure's host about a poison message. Both queues lose their messages after seven days.
resource deadLetters 'Microsoft.Insights/scheduledQueryRules@2026-03-01' = if (!empty(alertEmail)) {
  name: '${name}-dead-letters'
  location: location
  tags: tags
  kind: 'LogAlert'
  properties: {
    displayName: 'A function has made a dead letter or a poison message: look with ./run queues within seven days'
    severity: 2
    enabled: true
    scopes: [workspace.id]
    evaluationFrequency: 'PT5M'
    windowSize: 'PT15M'
    criteria: {
      allOf: [
        {
          query: 'AppTraces | where Message contains ": Dead letter of " or Message startswith "Message has reached MaxDequeueCount of "'
          timeAggregation: 'Count'
          operator: 'GreaterThan'
          threshold: 0
        }
      ]
    }
    actions: { actionGroups: [people.id] }
  }
}

@description('Resource id of the rule that says what the machine sends.')
output collectionRuleId string = collection.id

@description('Name of the functions\' Application Insights.')
output insightsName string = insights.name

@description('Where the functions send their telemetry; it names a place and holds no secret.')
output insightsConnectionString string = insights.properties.ConnectionString
