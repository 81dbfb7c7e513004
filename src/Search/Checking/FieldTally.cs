using Jackdaw.Search.Batches;
using Jackdaw.Search.Columns;
using Jackdaw.Search.Dictionary;
using Jackdaw.Search.Fields;

namespace Jackdaw.Search.Checking;

/// <summary>
/// What a check counts of one field: from the entries' records on one side, from postings, cells and lengths on the other. The references
/// of either side are summed up as hashes, so that equal sums mean equal references, and memory does not grow with the index.
/// </summary>
internal sealed class FieldTally(KnownField known, FieldRecord record)
{
    public KnownField Known { get; } = known;

    public FieldRecord Record { get; } = record;

    /// <summary>Entries with the field.</summary>
    public long Entries { get; set; }

    public long EntriesWithSeveral { get; set; }

    public long EntriesWithCell { get; set; }

    public long EntriesWithLength { get; set; }

    public long TotalLength { get; set; }

    public References OfEntries { get; } = new();

    public References OfPostings { get; } = new();

    /// <summary>Chunk of the column that was read last.</summary>
    public long ColumnChunk { get; set; } = -1;

    public ColumnCell[] Cells { get; } = record.Options.IsSortable ? new ColumnCell[ColumnCell.InChunk] : [];

    /// <summary>References to terms: how many, and the sum of their hashes.</summary>
    internal sealed class References
    {
        public long Count { get; private set; }

        public ulong Sum { get; private set; }

        /// <param name="term">What tells the term from the field's others: see <see cref="TermIdentity"/>.</param>
        /// <param name="entry">The entry that has it.</param>
        /// <param name="frequency">How often.</param>
        public void Add(ulong term, long entry, uint frequency)
        {
            Count++;
            Sum += TermTable.Mix(TermTable.Mix(term, (ulong)entry), frequency);
        }
    }
}
