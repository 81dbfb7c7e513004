namespace Jackdaw.Storage.Tests.Journal;

/// <summary>The memory of one transaction's pages.</summary>
internal sealed unsafe class NativePages : IDisposable
{
    private readonly List<NativePage> _pages = [];

    public byte* Add(ReadOnlySpan<byte> content)
    {
        _pages.Add(new NativePage(content));
        return _pages[^1].Pointer;
    }

    public void Dispose() => _pages.ForEach(page => page.Dispose());
}
