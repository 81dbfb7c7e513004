using System.Globalization;
using Jackdaw.Documents;
using Jackdaw.Documents.EventStreams;
using Jackdaw.Documents.Reading;
using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.Messages;
using Jackdaw.Etl.Reading;
using Jackdaw.Etl.Transforming;
using Jackdaw.Scripting;

namespace Jackdaw.Etl;

/// <summary>Runs a script over stored documents without sending anything: what a person looks at before a task is saved.</summary>
public static class ScriptTrial
{
    /// <summary>Documents of one trial. Fixed.</summary>
    public const int MaxDocuments = 100;

    /// <summary>Bytes of messages, written as events, that the answer of one trial has. Fixed.</summary>
    public const int MaxMessageBytes = 8 << 20;

    private static readonly TimeSpan s_atMost = TimeSpan.FromSeconds(2);

    /// <summary>
    /// Errors: <see cref="InvalidConfigurationException"/>, those of <see cref="ScriptEngine.Compile"/>,
    /// <see cref="Scripting.Errors.ScriptEngineBusyException"/>.
    /// </summary>
    /// <param name="database">Where the documents are.</param>
    /// <param name="engine">Runs the script.</param>
    /// <param name="options">As tasks have them.</param>
    /// <param name="json">
    /// An object with a transform's members (<c>Script</c>, <c>Collections</c> or <c>ApplyToAllDocuments</c>,
    /// <c>PublishDeletes</c>) and either <c>DocumentId</c> or
    /// <c>Count</c>, the number of documents from the first on (100 at most, which is also the default).
    /// </param>
    public static TrialAnswer Run(Database database, ScriptEngine engine, EtlOptions options, ReadOnlySpan<byte> json)
    {
        ArgumentNullException.ThrowIfNull(database);
        ArgumentNullException.ThrowIfNull(options);
        var members = JsonMembers.Parse(json, "The trial");
        KnownMembers.RequireInTransform(members, "DocumentId", "Count");
        string? documentId = members.Text("DocumentId");
        var transform = TaskDefinition.Transform(members, 0, needsCollections: documentId is null);
        int count = documentId is null ? (int)Math.Clamp(members.Number("Count", MaxDocuments), 1, MaxDocuments) : 1;
        var task = new EtlTaskConfiguration
        {
            Id = 0,
            Name = "trial",
            Transforms = [transform],
        };
        var script = TransformScript.Compile(engine, transform);
        using var runner = new TransformRunner(
            script,
            reader: null,
            new EventNaming(task, transform, database, options.PublicUrl),
            options.Limits,
            allowsRoutingKeys: true
        );
        var walk = new Walk
        {
            Transform =
                documentId is null ? transform
                : IsOfEvent(documentId) ? transform with { ApplyToAllDocuments = false, Collections = [EventsRoom.Collection] }
                : transform with { ApplyToAllDocuments = true },
            DocumentId = documentId,
            Count = count,
        };
        long began = options.Clock.GetTimestamp();
        do
        {
            // Whoever waits for the engine keeps no read transaction meanwhile.
            runner.Prepare(walk.StandsAtDeletion);
            using var reader = database.OpenRead("ETL trial");
            runner.ReadFrom(reader);
            Read(walk, reader, runner, () => options.Clock.GetElapsedTime(began) >= s_atMost);
        } while (!walk.IsAtEnd);
        return new TrialAnswer(walk.Results, walk.Notice);
    }

    /// <summary>Goes on to the end, or until the reader has lasted long enough, or the engine has to be waited for.</summary>
    private static void Read(Walk walk, DocumentsReader reader, TransformRunner runner, Func<bool> isTimeUp)
    {
        walk.AfterEtag ??= After(reader, walk.DocumentId);
        var changes = new ChangeReader(reader, walk.Transform, walk.AfterEtag.Value);
        // One of any kind at a time: a long stretch that the transform is not for takes its time, too.
        while (changes.MoveNext(passAtMost: 0))
        {
            var change = changes.Current;
            if (changes.IsCurrentWanted)
            {
                walk.StandsAtDeletion = change.IsTombstone;
                if (!runner.IsPrepared(change.IsTombstone))
                    return;
                string? failure = runner.Run(change, out var origin);
                walk.Add(origin, failure, runner.Messages);
                walk.IsAtEnd |= isTimeUp();
            }
            walk.AfterEtag = change.Etag;
            if (walk.IsAtEnd)
                return;
            // A script may take as long as many rows.
            if (changes.IsCurrentWanted ? reader.IsDueNow : reader.IsDue)
            {
                walk.IsAtEnd = isTimeUp();
                return;
            }
        }
        walk.IsAtEnd = true;
    }

    private static string WhyItEnds(string documentId, int shown, int made) =>
        string.Create(
            CultureInfo.InvariantCulture,
            $"A trial shows at most {MaxMessageBytes >> 20} MB of messages (fixed limit); "
                + $"of '{documentId}', {shown:N0} of {made:N0} are shown. The script did not run on later changes."
        );

    private static bool IsOfEvent(string documentId) => documentId.StartsWith(EventsRoom.IdPrefix, StringComparison.OrdinalIgnoreCase);

    private static long After(DocumentsReader reader, string? documentId)
    {
        if (documentId is null)
            return 0;
        if (!reader.TryGet(documentId, out var document))
            throw new InvalidConfigurationException($"There is no document '{documentId}'.");
        if (TransformConfiguration.IsSystemCollection(document.Collection) && document.StreamId.IsEmpty)
            throw new InvalidConfigurationException($"The document '{documentId}' is the server's own.");
        return document.Etag - 1;
    }

    /// <summary>How far a trial has come.</summary>
    private sealed class Walk
    {
        private long _room = MaxMessageBytes;

        public required TransformConfiguration Transform { get; init; }

        /// <summary>The only document; null: the first changes.</summary>
        public required string? DocumentId { get; init; }

        /// <summary>Results at most.</summary>
        public required int Count { get; init; }

        /// <summary>The last change that was looked at; null before the first reader.</summary>
        public long? AfterEtag { get; set; }

        /// <summary>The change that comes, or the last, is a deletion.</summary>
        public bool StandsAtDeletion { get; set; }

        public bool IsAtEnd { get; set; }

        public List<TrialResult> Results { get; } = [];

        public string? Notice { get; private set; }

        public void Add(ChangeOrigin origin, string? failure, IReadOnlyList<OutboundMessage> messages)
        {
            var shown = Show(messages, ref _room);
            Results.Add(new TrialResult(origin.DocumentId, origin.ChangeVector, origin.IsDeletion, failure, shown));
            if (shown.Count < messages.Count)
                Notice = WhyItEnds(origin.DocumentId, shown.Count, messages.Count);
            IsAtEnd = Notice is not null || Results.Count >= Count;
        }
    }

    /// <summary>Those that there is room for, up to the first that there is none for.</summary>
    private static List<ReadOnlyMemory<byte>> Show(IReadOnlyList<OutboundMessage> messages, ref long room)
    {
        var shown = new List<ReadOnlyMemory<byte>>();
        foreach (var message in messages)
        {
            // What is certainly too large is not even written.
            if (message.Data.Length > room)
                break;
            var output = new System.Buffers.ArrayBufferWriter<byte>();
            CloudEventJson.Write(message, 1, output);
            if (output.WrittenCount > room)
                break;
            room -= output.WrittenCount;
            shown.Add(output.WrittenMemory);
        }
        return shown;
    }
}
