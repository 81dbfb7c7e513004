using Akka.Cluster.Sharding;

namespace Jackdaw.Actors.Tests.Sharding;

/// <summary>A message is the id of its entity.</summary>
internal sealed class FewShards() : HashCodeMessageExtractor(maxNumberOfShards: 3)
{
    public override string EntityId(object message) => message as string ?? "";
}
