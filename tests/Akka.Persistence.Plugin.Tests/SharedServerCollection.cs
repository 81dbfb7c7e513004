namespace Jackdaw.Actors.Tests;

/// <summary>The tests that share one server process; they run one after another.</summary>
[CollectionDefinition(Name)]
public sealed class SharedServerCollection : ICollectionFixture<SharedServer>
{
    /// <summary>The collection's name.</summary>
    public const string Name = "shared server";
}
