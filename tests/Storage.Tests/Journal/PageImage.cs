using System.Runtime.InteropServices;
using Jackdaw.Storage.Journal;
using Jackdaw.Storage.Pages;
using Xunit;

namespace Jackdaw.Storage.Tests.Journal;

/// <summary>A data file in miniature: what replaying records makes of pages.</summary>
internal sealed unsafe class PageImage : IJournalVisitor
{
    public Dictionary<long, byte[]> Pages { get; init; } = [];

    public List<long> Transactions { get; } = [];

    public void Record(in RecordHeader header, JournalEntries entries)
    {
        Transactions.Add(header.Span.First);
        var seen = 0;
        foreach (var entry in entries)
        {
            var run = new byte[entry.RunLength * PageLayout.PageSize];
            if (entry.Form == EntryForm.Differences)
                Pages[entry.PageNumber].CopyTo(run, 0);
            else if (entry.PartAt > 0)
                run = [.. Enumerable.Range(0, entry.RunLength).SelectMany(i => Pages[entry.PageNumber + i])];
            else
                Random.Shared.NextBytes(run); // whole means whole
            fixed (byte* memory = run)
                entry.ApplyTo(memory);
            for (var i = 0; i < entry.RunLength; i++)
                Pages[entry.PageNumber + i] = run.AsSpan(i * PageLayout.PageSize, PageLayout.PageSize).ToArray();
            seen++;
        }
        Assert.Equal(header.PageEntries, seen);
    }

    public PageImage Copy() => new() { Pages = Pages.ToDictionary(page => page.Key, page => page.Value.ToArray()) };

    public void AssertEqual(PageImage other)
    {
        Assert.Equal(Pages.Keys.Order(), other.Pages.Keys.Order());
        foreach (var (number, page) in Pages)
            Assert.True(page.AsSpan(4).SequenceEqual(other.Pages[number].AsSpan(4)), $"page {number}");
    }
}
