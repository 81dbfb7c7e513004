using System.Text.Json;
using Jackdaw.Documents;
using Jackdaw.Documents.Commands;
using Jackdaw.Server.Endpoints.Batches;
using Jackdaw.Server.Http;
using Jackdaw.Storage.Memory;

namespace Jackdaw.Server.Endpoints.BulkInsert;

/// <summary>Some objects of a bulk insert as one operation for the merger, with the pooled bytes that it refers to. Dispose it
/// once it was answered.</summary>
internal sealed class BulkInsertPart : IDisposable
{
    /// <summary>The command surrounds the document.</summary>
    private static readonly JsonReaderOptions Options = new() { MaxDepth = Limits.MaxJsonDepth + 1 };

    private readonly byte[] _bytes;

    private BulkInsertPart(byte[] bytes, BatchOperation batch)
    {
        _bytes = bytes;
        Batch = batch;
    }

    public BatchOperation Batch { get; }

    /// <summary>Takes the scanner's whole objects. A part of heartbeats alone has an empty batch.</summary>
    /// <param name="scanner">Whose.</param>
    /// <param name="limits">The database's.</param>
    /// <param name="skipsUnchanged">Documents that are stored already with the same text are left as they are.</param>
    /// <exception cref="FeatureNotSupportedException">An object is a command that this version cannot do.</exception>
    public static BulkInsertPart Take(BulkInsertScanner scanner, Limits limits, bool skipsUnchanged)
    {
        var (bytes, objects) = scanner.Take();
        var part = new BulkInsertPart(bytes, BatchOperation.Rent());
        try
        {
            foreach (var one in objects)
                part.Add(bytes.AsMemory(one), limits, skipsUnchanged);
            return part;
        }
        catch
        {
            part.Dispose();
            throw;
        }
    }

    public void Dispose()
    {
        Batch.Return();
        BytePool.Requests.Return(_bytes);
    }

    private void Add(ReadOnlyMemory<byte> json, Limits limits, bool skipsUnchanged)
    {
        var reader = new Utf8JsonReader(json.Span, Options);
        reader.Read();
        var command = CommandText.Read(ref reader, Batch, json, limits);
        if (command.Type == "HeartBeat")
            return;
        if (command.Type == "DELETE")
            throw new FeatureNotSupportedException("The command DELETE in a bulk insert");
        command.Complete(Batch, json, limits);
        ((PutCommand)Batch.Commands[^1]).SkipsUnchanged = skipsUnchanged;
    }
}
