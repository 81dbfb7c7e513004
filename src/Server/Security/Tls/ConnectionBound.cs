namespace Jackdaw.Server.Security.Tls;

/// <summary>How many connections may be in a state at once, and how long each may be.</summary>
/// <param name="Most">One more ends the connection that has been in the state the longest.</param>
/// <param name="Longest">A connection that has been in the state for so long is ended.</param>
/// <param name="WhyTooMany">Why a connection made room, for the log.</param>
/// <param name="WhyTooLong">Why a connection was ended by its time, for the log.</param>
internal sealed record ConnectionBound(int Most, TimeSpan Longest, string WhyTooMany, string WhyTooLong);
