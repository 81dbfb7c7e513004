namespace Jackdaw.Documents.Layout;

/// <summary>Collections that the server itself names.</summary>
internal static class CollectionNames
{
    /// <summary>Documents stored without a collection; not shown when they are read.</summary>
    public static ReadOnlySpan<byte> Empty => "@empty"u8;

    /// <summary>The events of all streams. No document has it.</summary>
    public const string EventsText = "@events";

    /// <summary>In what consumers are woken for; no collection of documents gets this number.</summary>
    public const uint EventsId = uint.MaxValue;

    /// <summary>What the ids of events in the form of documents begin with. No document has such an id.</summary>
    public static ReadOnlySpan<byte> EventIds => "@events/"u8;

    /// <summary>As <see cref="EventsText"/>.</summary>
    public static ReadOnlySpan<byte> Events => "@events"u8;

    /// <summary>Is it the collection of events, in any casing?</summary>
    public static bool IsEvents(string name) => string.Equals(name, EventsText, StringComparison.OrdinalIgnoreCase);

    /// <summary>Documents that hold the state of HiLo ranges.</summary>
    public static ReadOnlySpan<byte> HiLo => "@hilo"u8;
}
