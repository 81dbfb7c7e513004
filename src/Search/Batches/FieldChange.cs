using Jackdaw.Search.Fields;

namespace Jackdaw.Search.Batches;

/// <summary>A field that a batch touches: its record as it becomes, and the chains of cells and lengths that change.</summary>
internal sealed class FieldChange(KnownField known, FieldRecord record)
{
    public KnownField Known { get; } = known;

    public FieldRecord Record = record;

    /// <summary>The batch's number of the mark that each entry with the field has.</summary>
    public int ExistsTerm = -1;

    public int FirstCell = -1;

    public int LastCell = -1;

    public int FirstLength = -1;

    public int LastLength = -1;
}
