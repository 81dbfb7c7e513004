using Akka.Actor;
using Akka.Pattern;

namespace Bank.Entities;

/// <summary>
/// Finds or starts the persistent actor that a message is for. Each has a back-off supervisor: an actor whose event could not be stored
/// stops, and is started again after a pause that grows from one attempt to the next.
/// </summary>
public sealed class EntityGroup : ReceiveActor
{
    private static readonly TimeSpan MinBackoff = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan MaxBackoff = TimeSpan.FromSeconds(10);
    private const double RandomFactor = 0.2;
    private const int WithoutLimit = -1;

    /// <param name="entity">Makes the props of the entity with an id.</param>
    public EntityGroup(Func<string, Props> entity)
    {
        Receive<ToEntity>(message =>
        {
            var supervisor = Context.Child(message.Id);
            if (supervisor.IsNobody())
                supervisor = Context.ActorOf(Supervised(entity(message.Id)), message.Id);
            supervisor.Forward(message.Message);
        });
        // An entity's message to its supervisor comes up to here; sent down, it ends the supervisor too.
        Receive<Finished>(finished => Sender.Tell(finished));
    }

    private static Props Supervised(Props entity) =>
        BackoffSupervisor.Props(
            Backoff
                .OnStop(entity, "entity", MinBackoff, MaxBackoff, RandomFactor, WithoutLimit)
                .WithFinalStopMessage(message => message is Finished)
        );
}
