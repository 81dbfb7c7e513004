namespace Jackdaw.Storage.Journal;

/// <summary>When records are compressed (zstd, level 1).</summary>
internal enum JournalCompression
{
    /// <summary>From 64 KB on, while the disk time that it saves is measured to exceed the time it takes.</summary>
    WhenItPays,

    Never,

    /// <summary>Every record that becomes smaller by it, whatever its size.</summary>
    Always,
}
