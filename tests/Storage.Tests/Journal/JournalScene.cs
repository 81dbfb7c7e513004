using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Journal;
using Jackdaw.Storage.Pages;
using Xunit;

namespace Jackdaw.Storage.Tests.Journal;

/// <summary>A journal on a memory disk, random transactions, and what the pages should be after each of them.</summary>
internal sealed unsafe class JournalScene : IDisposable
{
    private readonly Random _random;

    public JournalScene(
        Random random,
        int unit = 512,
        JournalCompression compression = JournalCompression.Never,
        long fileBytes = 256 << 10,
        IDisk? disk = null,
        long? firstFileBytes = null
    )
    {
        _random = random;
        Disk = disk ?? new MemoryDisk();
        Options = new JournalOptions
        {
            JournalId = NewGuid(random),
            AtomicUnit = unit,
            FileBytes = fileBytes,
            FirstFileBytes = firstFileBytes,
            Compression = compression,
            NextRandom = () => (ulong)random.NextInt64(),
        };
        Writer = JournalWriter.Create(Disk, Options);
        Positions.Add(Writer.Position);
        Images.Add(new PageImage());
    }

    public IDisk Disk { get; }

    public JournalOptions Options { get; }

    public JournalWriter Writer { get; private set; }

    /// <summary>By transaction: the position after it.</summary>
    public List<JournalPosition> Positions { get; } = [];

    /// <summary>By transaction: the pages after it.</summary>
    public List<PageImage> Images { get; } = [];

    public long LastTransaction => Positions.Count - 1;

    public JournalPosition LastPosition => Positions[^1];

    /// <summary>As errors show it.</summary>
    public string Shown(string path) => $"{Disk.Description}/{path}";

    public string PathOf(JournalPosition position) => $"journal/{position.Sequence:x16}";

    /// <summary>Commits a transaction that creates, changes and reuses some of fifty pages.</summary>
    public void Commit(int pages = 0, int runPages = 0) => Assert.True(TryCommit(pages, runPages));

    /// <summary>False: there was no room.</summary>
    public bool TryCommit(int pages = 0, int runPages = 0)
    {
        var count = pages > 0 ? pages : _random.Next(1, 12);
        if (!Writer.TryReserve(Writer.WorstCaseBytes(count + (runPages > 0 ? 1 : 0), count + runPages)))
            return false;
        AppendReserved(count, runPages);
        return true;
    }

    /// <summary>The second half of a commit.</summary>
    public void AppendReserved(int pages, int runPages = 0)
    {
        var image = Images[^1].Copy();
        using var memory = new NativePages();
        var entries = Enumerable
            .Range(0, 50)
            .OrderBy(_ => _random.Next())
            .Take(pages)
            .Order()
            .Select(number => Touch(image, number, memory))
            .ToList();
        if (runPages > 0)
            entries.Add(Run(image, 100, runPages, memory));
        Append([.. entries]);
        Images.Add(image);
    }

    /// <summary>Ends the process and opens the journal again at what is found; returns the reader's end.</summary>
    public JournalEnd Reopen(JournalPosition from)
    {
        Writer.Dispose();
        var image = Images[(int)from.TransactionId].Copy();
        var end = Read(from, image);
        Images[(int)end.Position.TransactionId].AssertEqual(image);
        Begin(end.Position);
        return end;
    }

    /// <summary>Begins a new writer after a position; what came after it is forgotten.</summary>
    public void Begin(JournalPosition end)
    {
        Writer.Dispose();
        Positions.RemoveRange((int)end.TransactionId + 1, Positions.Count - (int)end.TransactionId - 1);
        Images.RemoveRange((int)end.TransactionId + 1, Images.Count - (int)end.TransactionId - 1);
        Writer = JournalWriter.BeginAfterRecovery(Disk, Options, end);
        Positions[^1] = Writer.Position;
    }

    public JournalEnd Read(JournalPosition from, IJournalVisitor visitor, bool acceptDataLoss = false) =>
        new JournalReader(Disk, Options).Read(from, visitor, acceptDataLoss);

    /// <summary>Reads from a position over the pages as they were there, and compares with the pages at the end found.</summary>
    public JournalEnd ReadAndCompare(JournalPosition from, bool acceptDataLoss = false)
    {
        var image = Images[(int)from.TransactionId].Copy();
        var end = Read(from, image, acceptDataLoss);
        Assert.Equal(end.Position.TransactionId - from.TransactionId, end.Records);
        Assert.Equal(Enumerable.Range(1, (int)end.Records).Select(i => from.TransactionId + i), image.Transactions);
        Images[(int)end.Position.TransactionId].AssertEqual(image);
        return end;
    }

    public void RunSpareSteps()
    {
        while (Writer.RunSpareStep()) { }
    }

    public byte[] ReadFile(string path)
    {
        using var file = Disk.Open(path, DiskFileMode.Direct, create: false);
        var bytes = new byte[file.Length];
        fixed (byte* memory = bytes)
            Assert.Equal(bytes.Length, file.ReadAt(0, memory, bytes.Length));
        return bytes;
    }

    public void WriteFile(string path, long offset, ReadOnlySpan<byte> bytes)
    {
        using var file = Disk.Open(path, DiskFileMode.Direct, create: true);
        fixed (byte* memory = bytes)
            Assert.Equal(bytes.Length, file.WriteAt(offset, memory, bytes.Length));
    }

    public void FlipBit(string path, long offset, int bit)
    {
        var bytes = ReadFile(path).AsSpan((int)offset, 1).ToArray();
        bytes[0] ^= (byte)(1 << bit);
        WriteFile(path, offset, bytes);
    }

    public void Dispose()
    {
        Writer.Dispose();
        Disk.Dispose();
    }

    private static Guid NewGuid(Random random)
    {
        var bytes = new byte[16];
        random.NextBytes(bytes);
        return new Guid(bytes);
    }

    private void Append(JournaledPage[] pages)
    {
        var position = Writer.Append(Writer.Position.TransactionId + 1, pages, DateTime.UtcNow.Ticks);
        Assert.Equal(position, Writer.Position);
        Positions.Add(position);
    }

    private JournaledPage Touch(PageImage image, int number, NativePages memory)
    {
        image.Pages.TryGetValue(number, out var old);
        var page = old?.ToArray() ?? new byte[PageLayout.PageSize];
        var whole = old is null || _random.Next(8) == 0;
        if (whole)
        {
            page.AsSpan().Clear();
            _random.NextBytes(page.AsSpan(0, _random.Next(64, PageLayout.PageSize)));
        }
        for (var changes = _random.Next(1, 6); changes > 0; changes--)
        {
            var start = _random.Next(4, page.Length);
            _random.NextBytes(page.AsSpan(start, Math.Min(page.Length - start, _random.Next(1, 400))));
        }
        image.Pages[number] = page;
        return new JournaledPage(number, 1, memory.Add(page), whole ? null : memory.Add(old), PageLayout.PageSize);
    }

    private JournaledPage Run(PageImage image, int number, int runPages, NativePages memory)
    {
        var run = new byte[runPages * PageLayout.PageSize];
        var meaningful = run.Length - _random.Next(0, PageLayout.PageSize);
        _random.NextBytes(run);
        var pointer = memory.Add(run); // what follows the meaningful bytes is not zero in memory
        run.AsSpan(meaningful).Clear();
        for (var i = 0; i < runPages; i++)
            image.Pages[number + i] = run.AsSpan(i * PageLayout.PageSize, PageLayout.PageSize).ToArray();
        return new JournaledPage(number, runPages, pointer, null, meaningful);
    }
}
