namespace Jackdaw.Bench.Load;

internal enum HttpLoadKind
{
    /// <summary>PUT of 1 KB documents, each under an id that no other request of any run used.</summary>
    PutDistinct,

    /// <summary>GET of one document by a random id out of those loaded before.</summary>
    GetRandom,
}
