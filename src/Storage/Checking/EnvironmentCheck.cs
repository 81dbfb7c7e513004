using System.Numerics;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Pages;
using Jackdaw.Storage.Space;
using Jackdaw.Storage.Tables;
using Jackdaw.Storage.Transactions;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Storage.Checking;

/// <summary>
/// Checks one transaction's state wholly: every structure by its own rules, every checksum, every table's indexes against its
/// rows, and that
/// each page is either owned once or free. Believes nothing that it has not verified; goes on after a finding where it can.
/// </summary>
internal sealed unsafe class EnvironmentCheck
{
    private readonly PageTransaction _transaction;
    private readonly OwnedPages _owned;
    private readonly int _groups;
    private readonly bool[] _badBitmap;
    private long _freePages;

    private EnvironmentCheck(PageTransaction transaction, Action<long> verify)
    {
        _transaction = transaction;
        _owned = new OwnedPages(transaction, verify);
        _groups = FreeSpace.Groups(transaction.PageCount);
        _badBitmap = new bool[_groups];
    }

    /// <param name="transaction">What to look at.</param>
    /// <param name="verify">Reads a page from the disk again and throws <see cref="CorruptedDataException"/> when it is not what
    /// was written.</param>
    /// <param name="tables">Tables whose indexes are compared with their rows; those that the environment has not are empty.</param>
    public static CheckReport Run(PageTransaction transaction, Action<long> verify, IEnumerable<TableSchema> tables)
    {
        var check = new EnvironmentCheck(transaction, verify);
        if (check.CheckOwnPages())
        {
            bool sound = check.CheckStructures();
            foreach (TableSchema schema in tables)
                check.CheckTable(schema);
            check.CompareWithBitmaps(sound);
        }
        var owned = check._owned;
        return new CheckReport(transaction.Id, transaction.PageCount, check._freePages, owned.Findings, owned.FindingCount, owned.Totals);
    }

    /// <summary>The meta page and the bitmaps. False when the meta page is of no use, so that nothing else can be found.</summary>
    private bool CheckOwnPages()
    {
        _owned.Begin("(meta)");
        bool meta = _owned.Visit(PageLayout.MetaPage, 1);
        if (meta)
        {
            byte* page = _transaction.ReadPage(PageLayout.MetaPage);
            PageKind kind = ((PageHeader*)page)->Kind;
            meta = kind == PageKind.Meta;
            if (!meta)
                _owned.Report(PageLayout.MetaPage, $"is of kind {kind} instead of {PageKind.Meta}");
        }
        _owned.End("meta page", 1);

        _owned.Begin("(free space)");
        for (int group = 0; group < _groups; group++)
            _badBitmap[group] = !CheckBitmap(group);
        _owned.End("bitmap", _groups);
        return meta;
    }

    private bool CheckBitmap(int group)
    {
        long number = group * PageLayout.GroupPages + 1;
        if (!_owned.Visit(number, 1))
            return false;
        byte* page = _transaction.ReadPage(number);
        var header = (PageHeader*)page;
        if (header->Kind != PageKind.Bitmap)
        {
            _owned.Report(number, $"is of kind {header->Kind} instead of {PageKind.Bitmap}");
            return false;
        }
        int limit = Limit(group);
        int used = 0;
        var words = (ulong*)(page + PageLayout.HeaderSize);
        for (int i = 0; i < PageLayout.BodySize / sizeof(ulong); i++)
            used += BitOperations.PopCount(words[i]);
        if (used != header->Count)
            _owned.Report(number, $"{used} bits are set, the header says {header->Count}");
        if (!BitmapWords.AllAre(words, limit, (int)PageLayout.GroupPages - limit, set: false))
            _owned.Report(number, "calls pages behind the file's end used");
        return true;
    }

    /// <summary>True when nothing was wrong with any structure, hence all their pages were found.</summary>
    private bool CheckStructures()
    {
        long before = _owned.FindingCount;
        _owned.Begin("(catalog)");
        try
        {
            foreach (Structure structure in _transaction.Catalog.Structures())
                CheckStructure(structure);
        }
        catch (Exception damage) when (IsDamage(damage))
        {
            _owned.Report(-1, $"the structures behind this one cannot be listed: {damage.Message}");
        }
        return _owned.FindingCount == before;
    }

    private void CheckStructure(Structure structure)
    {
        _owned.Begin(structure.Name, structure);
        try
        {
            StructureDescriptor.Of(structure.Kind).Check(structure, _owned);
        }
        catch (Exception damage) when (IsDamage(damage))
        {
            _owned.Report(structure.State.RootPage, $"its check could not be finished: {damage.Message}");
        }
        _owned.End(structure.Kind.ToString(), structure.EntryCount);
    }

    private void CheckTable(TableSchema schema)
    {
        _owned.Begin(schema.Name);
        try
        {
            _transaction.Catalog.OpenTable(schema).Check(_owned);
        }
        catch (Exception damage) when (IsDamage(damage))
        {
            _owned.Report(-1, $"the check of its indexes could not be finished: {damage.Message}");
        }
    }

    /// <summary>Every page is owned or free. When a structure is damaged, pages that only it could reach are not called lost.</summary>
    private void CompareWithBitmaps(bool allFound)
    {
        _owned.Begin("(free space)");
        for (int group = 0; group < _groups; group++)
        {
            if (_badBitmap[group])
                continue;
            byte* page = _transaction.ReadPage(group * PageLayout.GroupPages + 1);
            var used = new ReadOnlySpan<ulong>(page + PageLayout.HeaderSize, PageLayout.BodySize / sizeof(ulong));
            ReadOnlySpan<ulong> owned = _owned.Words(group);
            int limit = Limit(group);
            _freePages += limit - ((PageHeader*)page)->Count;
            ReportRuns(group, limit, owned, used, "is in use by a structure, but the bitmap calls it free");
            if (allFound)
                ReportRuns(group, limit, used, owned, "is in use as the bitmap has it, but nothing owns it");
        }
        // The one page that a file can have before its group's bitmap page is never handed out.
        if (_transaction.PageCount % PageLayout.GroupPages == 1 && _owned.Words(_groups)[0] != 0)
            _owned.Report(_groups * PageLayout.GroupPages, "is owned, but lies in a group that has no bitmap yet");
    }

    /// <summary>Reports the pages whose bit is set in the one and not in the other, neighbours together.</summary>
    private void ReportRuns(int group, int limit, ReadOnlySpan<ulong> these, ReadOnlySpan<ulong> not, string problem)
    {
        int start = -1;
        for (int i = 0; i <= limit; i++)
        {
            if (i % BitmapWords.BitsPerWord == 0 && start < 0)
                while (
                    i + BitmapWords.BitsPerWord <= limit && (these[i / BitmapWords.BitsPerWord] & ~not[i / BitmapWords.BitsPerWord]) == 0
                )
                    i += BitmapWords.BitsPerWord;
            bool wrong =
                i < limit
                && ((these[i / BitmapWords.BitsPerWord] & ~not[i / BitmapWords.BitsPerWord]) >> (i % BitmapWords.BitsPerWord) & 1) != 0;
            if (wrong && start < 0)
                start = i;
            if (wrong || start < 0)
                continue;
            long first = group * PageLayout.GroupPages + start;
            _owned.Report(first, i - start == 1 ? problem : $"and the {i - start - 1} behind it: each {problem}");
            start = -1;
        }
    }

    private int Limit(int group) => (int)Math.Min(PageLayout.GroupPages, _transaction.PageCount - group * PageLayout.GroupPages);

    // What reading a damaged structure can throw: a page that fails its checksum, or one that breaks a rule which the reader relies on.
    private static bool IsDamage(Exception exception) => exception is CorruptedDataException or InvariantViolationException;
}
