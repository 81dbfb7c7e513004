using Jackdaw.EventStreams.Client.Appending;

namespace Akka.Persistence.Jackdaw.Journal;

/// <summary>Another writer of the same persistence id was faster. Nothing was stored; the actor stops and must recover.</summary>
public sealed class JournalConflictException : Exception
{
    internal JournalConflictException(string id, long first, GroupResult result)
        : base(Describe(id, first, result)) { }

    private static string Describe(string id, long first, GroupResult result) =>
        result.Outcome == AppendOutcome.Fenced
            ? $"Another instance of the persistent actor '{id}' has taken over: event {first} was not stored."
            : $"Event {first} of '{id}' was not stored, the highest number is {result.Highest}: another instance of the actor wrote it.";
}
