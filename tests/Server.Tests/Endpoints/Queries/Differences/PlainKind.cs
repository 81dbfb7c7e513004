namespace Jackdaw.Server.Tests.Endpoints.Queries.Differences;

/// <summary>In the order in which an ascending order shows them.</summary>
internal enum PlainKind
{
    Null,
    EmptyArray,
    Number,
    Text,
}
