using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Expiring;
using Jackdaw.Documents.Json;
using Jackdaw.Documents.Layout;
using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Pages;
using Jackdaw.Storage.Trees;
using Xunit;

namespace Jackdaw.Documents.Tests.Expiring;

/// <summary>A damaged page in the order of dates costs the documents whose dates lie on it, and no other.</summary>
public sealed class DamagedDatesTests : IDisposable
{
    private const int Count = 2000;

    /// <summary>No page of dates has as many.</summary>
    private const int MostOnAPage = 600;

    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-dates-").FullName;

    private int _copies;

    private string Original => Path.Combine(_folder, "original");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void Whichever_page_of_the_dates_is_damaged_all_that_can_be_read_goes_and_the_pass_ends()
    {
        var pages = Fill();
        Assert.True(pages.Count >= 4, $"The dates have {pages.Count} pages, so the test shows little.");
        int whole = 0;
        foreach (var (page, isLeaf) in pages)
        {
            FlipBit(page);
            whole += Expire(isLeaf ? MostOnAPage : Count, page);
            FlipBit(page);
        }
        Assert.Equal(0, whole);
    }

    [Fact]
    public void The_page_is_told_once_and_met_again_only_when_a_pass_begins()
    {
        var pages = Fill();
        FlipBit(pages.First(one => one.IsLeaf).Page);
        using var disk = Copy();
        using var database = new TestDatabase(disk: disk, ownsDisk: false);
        var expirer = Open(database);
        Put(database, "far", TimeSpan.FromDays(10));
        database.Clock.Advance(TimeSpan.FromDays(1));
        RunPass(database, expirer);
        var told = Assert.Single(database.Storage.DamagedPages);
        Assert.Equal(1, expirer.Pass(DocumentDateKind.Expires).Skipped);
        long met = told.TimesMet;

        // Nothing else is due: the database is left alone until it is looked at again.
        Assert.Equal(Limits.DamagedDatesInterval, expirer.NextStep());
        Put(database, "later", TimeSpan.FromMinutes(10));
        Assert.Equal(TimeSpan.FromMinutes(10), expirer.NextStep());
        Assert.InRange(Assert.Single(database.Storage.DamagedPages).TimesMet, met, met + 5);
        database.Clock.Advance(TimeSpan.FromMinutes(10));
        RunPass(database, expirer);
        Assert.Null(database.Get("later"));
    }

    [Fact]
    public void Where_no_date_is_readable_a_pass_looks_once_an_hour_however_often_passes_are_configured()
    {
        foreach (var (page, _) in Fill())
            FlipBit(page);
        using var disk = Copy();
        using var database = new TestDatabase(disk: disk, ownsDisk: false);
        var expirer = Open(database, new DueDocumentsSettings { FrequencyInSec = 1 });
        database.Clock.Advance(TimeSpan.FromDays(1));
        for (int interval = 1; interval <= 3; interval++)
        {
            RunPass(database, expirer);
            var pass = expirer.Pass(DocumentDateKind.Expires);
            Assert.Equal((interval, 1), (pass.Passes, pass.Skipped));
            Assert.Equal(Limits.DamagedDatesInterval, expirer.NextStep());
            database.Clock.Advance(Limits.DamagedDatesInterval);
        }
        Assert.Null(database.Storage.Poison);
    }

    /// <summary>Everything is due; returns 1 if everything went although a page is damaged.</summary>
    private int Expire(int mostLeft, long page)
    {
        using var disk = Copy();
        using var database = new TestDatabase(disk: disk, ownsDisk: false);
        var expirer = Open(database);
        database.Clock.Advance(TimeSpan.FromDays(1));
        RunPass(database, expirer);
        Assert.True(
            expirer.Pass(DocumentDateKind.Expires).Passes <= 1,
            $"page {page}: {expirer.Pass(DocumentDateKind.Expires).Passes} passes"
        );
        Assert.Null(database.Storage.Poison);
        using var reader = database.Read();
        Assert.True(reader.DocumentCount <= mostLeft, $"page {page}: {reader.DocumentCount} documents are left");
        // Who asks is answered.
        reader.FirstReadableDate(DocumentDateKind.Expires);
        return reader.DocumentCount == 0 ? 1 : 0;
    }

    /// <summary>Runs until the pass has ended.</summary>
    private static void RunPass(TestDatabase database, DocumentExpirer expirer)
    {
        for (int steps = 0; steps < 300; steps++)
        {
            expirer.RunStep();
            database.RunAll();
            if (expirer.IsRunning)
                continue;
            var wait = expirer.NextStep();
            if (wait > TimeSpan.FromSeconds(30) || wait == Timeout.InfiniteTimeSpan)
                return;
            database.Clock.Advance(wait);
        }
        Assert.Fail("The pass does not end.");
    }

    private static DocumentExpirer Open(TestDatabase database, DueDocumentsSettings? settings = null)
    {
        settings ??= new DueDocumentsSettings();
        var expirer = new DocumentExpirer(database.Merger, database.Writer.DueDates, database.Storage, database.Clock);
        var configuration = new ConfigureDueDocumentsOperation(DocumentDateKind.Expires, settings);
        database.Do(configuration);
        expirer.Configure(DocumentDateKind.Expires, settings, configuration.Order);
        return expirer;
    }

    /// <summary>Documents that expire a second after each other. Returns the pages of their dates.</summary>
    private List<(long Page, bool IsLeaf)> Fill()
    {
        using var disk = new LinuxDisk(Directory.CreateDirectory(Original).FullName);
        using var database = new TestDatabase(disk: disk, ownsDisk: false);
        for (int i = 0; i < Count; i++)
            Put(database, $"d/{i}", TimeSpan.FromSeconds(60 + i));
        database.Storage.FlushAndSync();
        var pages = new Pages();
        using (var reader = database.Storage.BeginRead("test"))
            reader.Catalog.Structures().Single(one => one.Name == Schema.DatesTree(DocumentDateKind.Expires)).Check(pages);
        database.Storage.CloseCleanly();
        return pages.Found.ConvertAll(page => (page, KindOf(page) == PageKind.TreeLeaf));
    }

    private static void Put(TestDatabase database, string id, TimeSpan toExpiry)
    {
        string date = ProtocolDate.ToText((database.Clock.GetUtcNow() + toExpiry).UtcTicks, withZ: true);
        var batch = BatchOperation.Rent();
        TestDatabase.AddPut(batch, id, $$$"""{"@metadata":{"@expires":"{{{date}}}"}}""");
        database.Do(batch);
    }

    /// <summary>What a pass changes is changed in a copy.</summary>
    private LinuxDisk Copy()
    {
        string copy = Path.Combine(_folder, "copy" + ++_copies);
        foreach (string file in Directory.GetFiles(Original, "*", SearchOption.AllDirectories))
        {
            string target = Path.Combine(copy, Path.GetRelativePath(Original, file));
            Directory.CreateDirectory(Path.GetDirectoryName(target)!);
            File.Copy(file, target);
        }
        return new LinuxDisk(copy);
    }

    private unsafe PageKind KindOf(long page)
    {
        byte[] bytes = new byte[PageLayout.PageSize];
        using var file = File.OpenRead(Path.Combine(Original, "data"));
        file.Position = page * PageLayout.PageSize;
        file.ReadExactly(bytes);
        fixed (byte* first = bytes)
            return ((PageHeader*)first)->Kind;
    }

    private void FlipBit(long page)
    {
        using var file = File.Open(Path.Combine(Original, "data"), FileMode.Open);
        long at = (page * PageLayout.PageSize) + 100;
        file.Position = at;
        int value = file.ReadByte();
        file.Position = at;
        file.WriteByte((byte)(value ^ 1));
    }

    private sealed class Pages : IPageVisitor
    {
        public List<long> Found { get; } = [];

        public bool Visit(long pageNumber, int runLength)
        {
            Found.Add(pageNumber);
            return true;
        }

        public void Report(long pageNumber, string problem) => Assert.Fail($"page {pageNumber}: {problem}");
    }
}
