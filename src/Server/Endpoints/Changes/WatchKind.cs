namespace Jackdaw.Server.Endpoints.Changes;

/// <summary>What a client can watch.</summary>
internal enum WatchKind
{
    AllDocuments,
    Document,
    Prefix,
    Collection,
    AllIndexes,
    Index,
    AllOperations,
    Operation,
    AggressiveCaching,
    TopologyChange,
}
