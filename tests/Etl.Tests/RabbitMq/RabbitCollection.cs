using System.Diagnostics.CodeAnalysis;
using Xunit;

namespace Jackdaw.Etl.Tests.RabbitMq;

/// <summary>Tests that share the one broker, one after another.</summary>
[CollectionDefinition(Name)]
[SuppressMessage("Naming", "CA1711:Identifiers should not have incorrect suffix", Justification = "It is a collection of tests.")]
public sealed class RabbitCollection : ICollectionFixture<RabbitFixture>
{
    public const string Name = "RabbitMQ";
}
