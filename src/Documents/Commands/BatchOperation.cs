using Jackdaw.Documents.Patching;
using Jackdaw.Documents.Writing;

namespace Jackdaw.Documents.Commands;

/// <summary>
/// Commands that are executed in order, all or none. Pooled: <see cref="Rent"/> one, add commands, submit and await it, read the
/// results out of the
/// commands, then <see cref="Return"/> it, which also gives its commands back.
/// </summary>
public sealed class BatchOperation : MergedOperation
{
    /// <summary>Command objects that a pooled batch keeps for its next use.</summary>
    private const int KeptCommands = 1024;

    /// <summary>Commands at most of a batch that its caller's thread may execute.</summary>
    private const int MostShortCommands = 16;

    /// <summary>Bytes that a pooled batch keeps, its commands and their buffers together.</summary>
    internal const long MaxKeptBytes = 1 << 20;

    private readonly List<DocumentCommand> _commands = [];
    private readonly Stack<PutCommand> _sparePuts = [];
    private readonly Stack<DeleteCommand> _spareDeletes = [];

    private BatchOperation() { }

    /// <summary>An empty one from the pool.</summary>
    public static BatchOperation Rent() => BatchPool.Instance.TryTake() ?? new BatchOperation();

    /// <summary>The commands, in the order in which they apply.</summary>
    public IReadOnlyList<DocumentCommand> Commands => _commands;

    /// <summary>Bytes that it keeps for its next use.</summary>
    internal long KeptBytes { get; private set; }

    /// <inheritdoc />
    public override long SizeBytes
    {
        get
        {
            long size = 0;
            foreach (var command in _commands)
                size += command.SizeBytes;
            return size;
        }
    }

    internal override bool IsShort
    {
        get
        {
            if (_commands.Count > MostShortCommands)
                return false;
            long size = 0;
            foreach (var command in _commands)
            {
                if (command is not (PutCommand or DeleteCommand { IdPrefixed: false }))
                    return false;
                size += command.SizeBytes;
            }
            return size <= MaxShortBytes;
        }
    }

    /// <summary>A new put, to be filled in.</summary>
    public PutCommand AddPut()
    {
        if (_sparePuts.TryPop(out var put))
            KeptBytes -= put.KeptBytes;
        else
            put = new PutCommand();
        _commands.Add(put);
        return put;
    }

    /// <summary>A new delete, to be filled in.</summary>
    public DeleteCommand AddDelete()
    {
        if (_spareDeletes.TryPop(out var delete))
            KeptBytes -= delete.KeptBytes;
        else
            delete = new DeleteCommand();
        _commands.Add(delete);
        return delete;
    }

    /// <summary>A new patch of one document, to be filled in.</summary>
    public PatchCommand AddPatch()
    {
        var patch = new PatchCommand();
        _commands.Add(patch);
        return patch;
    }

    /// <summary>A new patch of many documents, to be filled in.</summary>
    public BatchPatchCommand AddBatchPatch()
    {
        var patch = new BatchPatchCommand();
        _commands.Add(patch);
        return patch;
    }

    /// <summary>New expectations of documents that are not written, to be filled in.</summary>
    public TrackChangesCommand AddTrackChanges()
    {
        var expectations = new TrackChangesCommand();
        _commands.Add(expectations);
        return expectations;
    }

    /// <summary>Gives the operation and its commands back. Only after the submission has been awaited, or when it was never
    /// submitted.</summary>
    public void Return()
    {
        foreach (var command in _commands)
        {
            command.Clear();
            if (KeptBytes + command.KeptBytes > MaxKeptBytes)
                continue;
            if (command is PutCommand put && _sparePuts.Count < KeptCommands)
                Keep(_sparePuts, put);
            else if (command is DeleteCommand delete && _spareDeletes.Count < KeptCommands)
                Keep(_spareDeletes, delete);
        }
        _commands.Clear();
        if (_commands.Capacity > KeptCommands)
            _commands.Capacity = 0;
        IsBackground = false;
        Trace = null;
        BatchPool.Instance.Give(this);
    }

    private void Keep<T>(Stack<T> spares, T command)
        where T : DocumentCommand
    {
        spares.Push(command);
        KeptBytes += command.KeptBytes;
    }

    internal override void Execute(DocumentsWriter writer)
    {
        foreach (var command in _commands)
            command.Execute(writer);
    }
}
