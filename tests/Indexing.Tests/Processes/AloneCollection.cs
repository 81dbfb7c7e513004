using Xunit;

namespace Jackdaw.Indexing.Tests.Processes;

/// <summary>Tests that look at the memory of the whole process: no other test runs beside them.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public static class AloneCollection
{
    /// <summary>Named by the tests' classes.</summary>
    public const string Name = "Alone";
}
