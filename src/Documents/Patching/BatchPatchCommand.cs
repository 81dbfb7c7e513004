using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Writing;

namespace Jackdaw.Documents.Patching;

/// <summary>One patch of many documents, as one command of a batch: all or none, each with the time of a patch for itself, and of
/// an operation for all.</summary>
public sealed class BatchPatchCommand : DocumentCommand
{
    private readonly List<PatchCommand> _patches = [];
    private long _memoryBytes;

    internal BatchPatchCommand() { }

    /// <summary>What to do with each document. Required.</summary>
    public Patch? Patch { get; set; }

    /// <summary>As <see cref="PatchCommand.PatchIfMissing"/>.</summary>
    public Patch? PatchIfMissing { get; set; }

    /// <summary>The limits that the patches obey.</summary>
    public Limits Limits { get; set; } = Limits.Default;

    /// <summary>The documents, with the results.</summary>
    public IReadOnlyList<PatchCommand> Documents => _patches;

    /// <inheritdoc />
    public override long SizeBytes
    {
        get
        {
            long size = (Patch?.SizeBytes ?? 0) + (PatchIfMissing?.SizeBytes ?? 0);
            foreach (var patch in _patches)
                size += patch.SizeBytes;
            return size;
        }
    }

    /// <inheritdoc/>
    public override long MemoryBytes => base.MemoryBytes + _memoryBytes;

    /// <summary>One more document. Throws <see cref="Errors.OperationException"/> for a bad id or change vector.</summary>
    public void Add(string id, string? expectedChangeVector)
    {
        var patch = new PatchCommand { Limits = Limits };
        patch.SetId(id);
        patch.SetExpectedChangeVector(expectedChangeVector);
        _patches.Add(patch);
        _memoryBytes += patch.MemoryBytes;
    }

    internal override void Execute(DocumentsWriter writer)
    {
        using var execution = new PatchExecution(writer, Limits);
        foreach (var patch in _patches)
        {
            patch.Patch = Patch;
            patch.PatchIfMissing = PatchIfMissing;
            patch.Execute(writer, execution);
        }
    }

    internal override void Clear()
    {
        base.Clear();
        _patches.Clear();
        _memoryBytes = 0;
        Patch = PatchIfMissing = null;
    }
}
