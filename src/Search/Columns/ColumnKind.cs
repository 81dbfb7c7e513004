namespace Jackdaw.Search.Columns;

/// <summary>What a cell holds, in the order in which entries are ordered; the values are those of the format.</summary>
internal enum ColumnKind : byte
{
    Missing = 0,
    Null = 1,
    EmptyArray = 2,
    Number = 3,
    Text = 4,
}
