using System.Buffers.Binary;
using Jackdaw.Search.Columns;
using Jackdaw.Storage;

namespace Jackdaw.Search.Matching;

/// <summary>The one term of each entry of a field without several values, by its column.</summary>
internal sealed class ColumnTerms(FieldView field)
{
    private readonly ColumnReader _column = new(field.Column);
    private readonly byte[] _number = new byte[sizeof(uint)];

    /// <summary>Can terms be told by the column, and by it alone?</summary>
    public static bool Knows(FieldView field) => field is { IsSortable: true, HasSeveralValues: false };

    /// <summary>The entry's cell.</summary>
    public ColumnCell CellOf(long entry) => _column.Cell(entry);

    /// <summary>The dictionary's key of a cell that has a text.</summary>
    public ReadOnlySpan<byte> KeyOf(in ColumnCell cell)
    {
        BinaryPrimitives.WriteUInt32BigEndian(_number, cell.TermNumber);
        bool found = field.TermNames.TryGet(_number, out var key);
        Invariant.Require(cell.Kind == ColumnKind.Text && found, "a column has a term that has no name");
        return key;
    }
}
