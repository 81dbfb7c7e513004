namespace Jackdaw.Search.Dictionary;

/// <summary>What a term is; the values are those of the format.</summary>
internal enum TermKind : byte
{
    Text = 0,
    Number = 1,
    Mark = 2,
}
