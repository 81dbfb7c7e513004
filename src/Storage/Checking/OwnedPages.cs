using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Pages;
using Jackdaw.Storage.Space;
using Jackdaw.Storage.Transactions;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Storage.Checking;

/// <summary>
/// Which pages some structure has claimed, one bit each, as bitmap pages have it. Verifies each page's checksum when it is
/// claimed, and lets
/// nobody look inside one that fails, lies outside the file or has another owner.
/// </summary>
internal sealed unsafe class OwnedPages : IPageVisitor
{
    private const int MaxFindings = 1000;

    private readonly PageTransaction _transaction;
    private readonly Action<long> _verify;
    private readonly ulong[][] _groups;
    private readonly List<CheckFinding> _findings = [];
    private readonly List<StructureTotals> _totals = [];
    private string _structure = "";
    private Structure? _owner;
    private long _embedded;
    private long _pages;
    private long _usedBytes;

    /// <param name="verify">Reads a page from the disk again and throws <see cref="CorruptedDataException"/> when it is not what
    /// was written.</param>
    public OwnedPages(PageTransaction transaction, Action<long> verify)
    {
        _transaction = transaction;
        _verify = verify;
        _groups = new ulong[transaction.PageCount / PageLayout.GroupPages + 1][];
        for (int i = 0; i < _groups.Length; i++)
            _groups[i] = new ulong[PageLayout.BodySize / sizeof(ulong)];
    }

    public IReadOnlyList<CheckFinding> Findings => _findings;

    public long FindingCount { get; private set; }

    public IReadOnlyList<StructureTotals> Totals => _totals;

    /// <summary>The claimed pages of a group.</summary>
    public ReadOnlySpan<ulong> Words(int group) => _groups[group];

    /// <summary>What is visited from now on belongs to this structure.</summary>
    public void Begin(string structure, Structure? owner = null)
    {
        _structure = structure;
        _owner = owner;
        _pages = 0;
        _usedBytes = 0;
        _embedded = 0;
    }

    public void End(string kind, long entries) =>
        _totals.Add(new StructureTotals(_structure, kind, entries, _pages, _usedBytes) { EmbeddedStructures = _embedded });

    /// <inheritdoc/>
    public void Enter(Structure structure)
    {
        if (structure.Parent == _owner)
            _embedded++;
        _owner = structure;
    }

    /// <inheritdoc/>
    public bool Visit(long pageNumber, int runLength)
    {
        int group = (int)(pageNumber / PageLayout.GroupPages);
        int index = (int)(pageNumber % PageLayout.GroupPages);
        if (pageNumber < 0 || runLength < 1 || runLength > _transaction.PageCount - pageNumber || index + runLength > PageLayout.GroupPages)
        {
            Report(pageNumber, $"a run of {runLength} from here does not lie in the file's {_transaction.PageCount} pages or in one group");
            return false;
        }
        fixed (ulong* words = _groups[group])
        {
            if (!BitmapWords.AllAre(words, index, runLength, set: false))
            {
                Report(pageNumber, "has another owner already");
                return false;
            }
            BitmapWords.Set(words, index, runLength);
        }
        _pages += runLength;
        return VerifyRun(pageNumber, runLength);
    }

    /// <inheritdoc/>
    public void Report(long pageNumber, string problem)
    {
        if (FindingCount++ < MaxFindings)
            _findings.Add(new CheckFinding(_structure, pageNumber, problem));
    }

    /// <summary>The checksum holds and the header agrees; notes how much of the page is used.</summary>
    private bool VerifyRun(long pageNumber, int runLength)
    {
        try
        {
            _verify(pageNumber);
        }
        catch (CorruptedDataException damage)
        {
            Report(pageNumber, damage.Message);
            return false;
        }
        byte* page = _transaction.ReadPage(pageNumber);
        var header = (PageHeader*)page;
        if (header->PageNumber != pageNumber || header->RunLength != runLength)
        {
            Report(pageNumber, $"its header says page {header->PageNumber}, a run of {header->RunLength} instead of {runLength}");
            return false;
        }
        if (header->TransactionId > _transaction.Id)
            Report(pageNumber, $"was written by transaction {header->TransactionId}, after the one looked at, {_transaction.Id}");
        _usedBytes += Math.Clamp(UsedBytes(page), 0, (long)runLength * PageLayout.PageSize);
        return true;
    }

    private long UsedBytes(byte* page) =>
        _owner is null ? PageLayout.BodySize : StructureDescriptor.Of(_owner.Kind).UsedBytes(_owner.State, page);
}
