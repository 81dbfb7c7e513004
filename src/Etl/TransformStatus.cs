namespace Jackdaw.Etl;

/// <summary>A transform at one moment.</summary>
/// <param name="Name">The transform's.</param>
/// <param name="Etag">Everything up to it is settled.</param>
/// <param name="EtagsBehind">Etags from the first change that waits to the last one of the transform's collections; an upper
/// bound of the changes that wait.</param>
/// <param name="DocumentsBehind">Documents that wait to be read, and deletions if the transform sends them.</param>
/// <param name="IsEstimate">There were too many to be counted: <paramref name="DocumentsBehind"/> is an estimate.</param>
/// <param name="SecondsBehind">The age of the oldest change that waits; 0 when none does.</param>
public sealed record TransformStatus(string Name, long Etag, long EtagsBehind, long DocumentsBehind, bool IsEstimate, double SecondsBehind);
