namespace Jackdaw.Storage.Journal;

/// <summary>
/// Numbers of records, ascending through the whole journal: the first transaction that the record covers × 65,536 + its place among the
/// records that cover the same transactions. Headers and stamps carry it.
/// </summary>
internal static class RecordNumber
{
    /// <summary>The most records that may make up one group.</summary>
    public const int MaxPieces = 1 << PieceBits;

    private const int PieceBits = 16;

    /// <summary>The number of a record.</summary>
    public static long Of(long firstTransaction, int piece)
    {
        Invariant.Require(piece is >= 0 and < MaxPieces);
        return firstTransaction << PieceBits | (uint)piece;
    }

    /// <summary>The first transaction that the record of this number covers.</summary>
    public static long FirstTransaction(long number) => number >> PieceBits;

    /// <summary>The record's place in its group, starting at 0.</summary>
    public static int Piece(long number) => (int)(number & (MaxPieces - 1));
}
