namespace Jackdaw.Storage.Journal;

/// <summary>Which transactions a record covers, and its place in a group of records that are applied together or not at all.</summary>
/// <param name="First">The first transaction.</param>
/// <param name="Count">How many transactions; at least 1.</param>
/// <param name="Piece">Records of the same group before this one.</param>
/// <param name="Continues">Another record of the same group follows.</param>
internal readonly record struct RecordSpan(long First, int Count, int Piece, bool Continues)
{
    /// <summary>A record of its own for one transaction.</summary>
    public static RecordSpan Of(long transactionId) => new(transactionId, 1, 0, false);

    /// <summary>The last transaction.</summary>
    public long Last => First + Count - 1;
}
