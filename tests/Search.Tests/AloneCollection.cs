using Xunit;

namespace Jackdaw.Search.Tests;

/// <summary>Tests that look at memory which is counted for the whole process: no other test runs beside them.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public static class AloneCollection
{
    /// <summary>Named by the tests' classes.</summary>
    public const string Name = "Alone";
}
