using Akka.Actor;
using Akka.Configuration;
using Akka.Pattern;
using Jackdaw.Actors.Tests.Recorders;

namespace Jackdaw.Actors.Tests;

/// <summary>An actor system, as a process of a user would have it.</summary>
internal sealed class ActorHost(Config configuration) : IAsyncDisposable
{
    public ActorSystem System { get; } = ActorSystem.Create("actors", configuration);

    /// <summary>Starts a recorder; gives it at once, it recovers meanwhile.</summary>
    public IActorRef Recorder(string id) => System.ActorOf(Recorders.Recorder.For(id));

    /// <summary>Starts a recorder that its supervisor starts again when it stops, after the usual back-off.</summary>
    public IActorRef SupervisedRecorder(string id) =>
        System.ActorOf(
            BackoffSupervisor.Props(
                Backoff.OnStop(
                    Recorders.Recorder.For(id),
                    "recorder",
                    TimeSpan.FromMilliseconds(100),
                    TimeSpan.FromSeconds(1),
                    randomFactor: 0.2,
                    maxNrOfRetries: -1
                )
            )
        );

    /// <summary>What a recorder with this id recovers, by another actor than the one that wrote it.</summary>
    public async Task<Texts> RecoverAsync(string id)
    {
        var recorder = Recorder(id);
        var texts = await recorder.Ask<Texts>(new GetTexts(), Eventually.Patience);
        await recorder.GracefulStop(Eventually.Patience);
        return texts;
    }

    public async ValueTask DisposeAsync()
    {
        await System.Terminate();
        System.Dispose();
    }
}
