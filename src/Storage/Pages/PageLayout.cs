namespace Jackdaw.Storage.Pages;

/// <summary>Sizes that every page shares. Layout: docs/storage-format.md, "Pages".</summary>
public static class PageLayout
{
    /// <summary>Bytes of a page.</summary>
    public const int PageSize = 8192;

    /// <summary>Bytes of the header at the start of a page.</summary>
    public const int HeaderSize = 32;

    /// <summary>Bytes of a single page after its header.</summary>
    public const int BodySize = PageSize - HeaderSize;

    /// <summary>The page that holds the file's page count and the catalog's root.</summary>
    public const long MetaPage = 0;

    /// <summary>Offset in the meta page of the id that the environment's owner gave.</summary>
    internal const int OwnersIdOffset = 104;

    internal const int OwnersIdSize = 16;

    /// <summary>Pages covered by one bitmap page; group g's bitmap is page g * GroupPages + 1.</summary>
    public const long GroupPages = BodySize * 8L;
}
