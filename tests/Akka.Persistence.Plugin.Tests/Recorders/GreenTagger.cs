using Akka.Persistence.Journal;

namespace Jackdaw.Actors.Tests.Recorders;

/// <summary>Tags the texts that begin with green.</summary>
public sealed class GreenTagger : IWriteEventAdapter
{
    /// <summary>For the configuration of the default journal.</summary>
    internal const string Configuration = """
        akka.persistence.journal.jackdaw.event-adapters {
          green-tagger = "Jackdaw.Actors.Tests.Recorders.GreenTagger, Jackdaw.Akka.Persistence.Plugin.Tests"
        }
        akka.persistence.journal.jackdaw.event-adapter-bindings {
          "System.String" = green-tagger
        }
        """;

    /// <inheritdoc />
    public string Manifest(object evt) => "";

    /// <inheritdoc />
    public object ToJournal(object evt) =>
        evt is string text && text.StartsWith("green", StringComparison.Ordinal) ? new Tagged(text, ["green"]) : evt;
}
