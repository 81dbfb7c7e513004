using Jackdaw.Functions.CustomHandler.Invoking;
using Jackdaw.Functions.Handlers.Consuming;
using Jackdaw.Functions.Handlers.Documents;
using Jackdaw.Functions.Handlers.Storing;
using Jackdaw.Functions.Handlers.Streams;

namespace Jackdaw.Functions.CustomHandler.Hosting;

/// <summary>Functions beside those of this app. Each is named as the folder of its function.json, whose trigger is a queue with the
/// binding <c>message</c>, of data type <c>binary</c>.</summary>
public sealed class OwnFunctions
{
    /// <summary>The name of the trigger's binding in function.json.</summary>
    private const string Binding = "message";

    private readonly List<Function> _functions = [];

    internal OwnFunctions(JackdawDatabase source, JackdawDatabase readModel, SourceHistory history) =>
        (Source, ReadModel, History) = (source, readModel, history);

    /// <summary>The database that messages come from, <c>Jackdaw__SourceDatabase</c>.</summary>
    public JackdawDatabase Source { get; }

    /// <summary>The database of the read model, <c>Jackdaw__ReadModelDatabase</c>.</summary>
    public JackdawDatabase ReadModel { get; }

    /// <summary>The history of <see cref="Source"/>.</summary>
    public SourceHistory History { get; }

    /// <summary>What was added, in that order.</summary>
    internal IReadOnlyList<Function> All => _functions;

    /// <summary>Adds a function that makes a document of the read model from each document of the source.</summary>
    /// <param name="name">As the folder of its function.json.</param>
    /// <param name="queue">The queue in its function.json, to which its dead letters can be sent again.</param>
    /// <param name="projection">What becomes of a document.</param>
    public OwnFunctions Add(string name, string queue, IDocumentProjection projection) =>
        Add(name, queue, new DocumentConsumer(projection, ReadModel, History));

    /// <summary>Adds a function that makes a document of the read model from each event stream of the source.</summary>
    /// <param name="name">As the folder of its function.json.</param>
    /// <param name="queue">The queue in its function.json, to which its dead letters can be sent again.</param>
    /// <param name="projection">What becomes of a stream.</param>
    public OwnFunctions Add(string name, string queue, IStreamProjection projection) =>
        Add(name, queue, new StreamConsumer(projection, ReadModel, Source, History));

    private OwnFunctions Add(string name, string queue, IMessageConsumer consumer)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentException.ThrowIfNullOrEmpty(queue);
        _functions.Add(new Function(name, Binding, IsBatch: false, queue, consumer));
        return this;
    }
}
