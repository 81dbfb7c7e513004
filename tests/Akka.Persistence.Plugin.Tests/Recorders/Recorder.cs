using Akka.Actor;
using Akka.Persistence;

namespace Jackdaw.Actors.Tests.Recorders;

/// <summary>A persistent actor that keeps the texts it is told to write, in their order, and says when each is stored.</summary>
internal sealed class Recorder : ReceivePersistentActor
{
    private readonly List<string> _texts = [];

    /// <summary>A text that is over the server's limit of an event.</summary>
    public static Write TooLarge => new(new string('x', 17 << 20));

    public Recorder(string id)
    {
        PersistenceId = id;
        Recover<string>(_texts.Add);
        Command<Write>(write => Persist(write.Text, Keep));
        Command<WriteTogether>(write => PersistAll(write.Texts, Keep));
        Command<DeleteTo>(delete => DeleteMessages(delete.Number));
        Command<DeleteMessagesSuccess>(_ => { });
        Command<GetTexts>(_ => Sender.Tell(new Texts(LastSequenceNr, [.. _texts])));
    }

    public override string PersistenceId { get; }

    public static Props For(string id) => Props.Create(() => new Recorder(id));

    protected override void OnPersistRejected(Exception cause, object @event, long sequenceNr)
    {
        base.OnPersistRejected(cause, @event, sequenceNr);
        Sender.Tell(new Rejected(sequenceNr, cause.Message));
    }

    private void Keep(string text)
    {
        _texts.Add(text);
        Sender.Tell(new Written(LastSequenceNr, text));
    }
}
