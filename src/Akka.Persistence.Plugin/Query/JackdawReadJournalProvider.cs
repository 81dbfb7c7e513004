using Akka.Actor;
using Akka.Configuration;
using Akka.Persistence.Query;

namespace Akka.Persistence.Jackdaw.Query;

/// <summary>Makes the read journal of a section of the configuration.</summary>
public sealed class JackdawReadJournalProvider(ExtendedActorSystem system, Config config) : IReadJournalProvider
{
    /// <inheritdoc />
    public IReadJournal GetReadJournal() => new JackdawReadJournal(system, config);
}
