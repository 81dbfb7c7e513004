using Jackdaw.Etl.Configuration;

namespace Jackdaw.Etl;

/// <summary>A task as configured and as it is at the moment.</summary>
/// <param name="Definition">As configured.</param>
/// <param name="Status">As it is.</param>
public sealed record EtlTaskDescription(TaskDefinition Definition, EtlTaskStatus Status);
