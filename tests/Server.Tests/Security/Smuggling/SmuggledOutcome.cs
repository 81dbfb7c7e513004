namespace Jackdaw.Server.Tests.Security.Smuggling;

/// <summary>What a client is to get for a request that names a database to which it has no right.</summary>
internal enum SmuggledOutcome
{
    /// <summary>The refusal: 403.</summary>
    Refused,

    /// <summary>The very answer that the request has with the client's own database in the place of the other one.</summary>
    AsOwn,

    /// <summary>The status that the row names.</summary>
    Status,

    /// <summary>200, and in it the status that the row names for each request of a multi_get.</summary>
    Parts,

    /// <summary>Any status but those of an unexpected failure.</summary>
    Anything,
}
