namespace Jackdaw.Server.Tests.Serving;

/// <summary>Tests that measure the memory of the process: nothing else may run beside them.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class MemoryMeasured
{
    /// <summary>The collection's name.</summary>
    public const string Name = "memory measured";
}
