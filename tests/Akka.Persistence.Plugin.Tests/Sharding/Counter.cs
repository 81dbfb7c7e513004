using System.Collections.Concurrent;
using Akka.Actor;
using Akka.Persistence;

namespace Jackdaw.Actors.Tests.Sharding;

/// <summary>A sharded entity that counts what it is told; it says when it starts.</summary>
internal sealed class Counter : ReceivePersistentActor
{
    private int _count;

    public Counter(string id, ConcurrentDictionary<string, bool> started)
    {
        PersistenceId = $"counter-{id}";
        started[id] = true;
        Recover<string>(_ => _count++);
        Command<string>(_ =>
            Persist(
                "counted",
                _ =>
                {
                    _count++;
                    Sender.Tell(_count);
                }
            )
        );
    }

    public override string PersistenceId { get; }
}
