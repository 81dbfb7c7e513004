using Xunit;

namespace Jackdaw.Etl.Tests.AzureQueues;

[CollectionDefinition(AzuriteFixture.Collection)]
public sealed class AzuriteCollection : ICollectionFixture<AzuriteFixture>;
