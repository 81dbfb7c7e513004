namespace Jackdaw.Functions.Tests;

/// <summary>What a handler could do wrong: planted between it and the server.</summary>
public enum Mistake
{
    None,

    /// <summary>Batches are stored whatever has happened since the marker was read.</summary>
    NoConditions,

    /// <summary>A deletion leaves no marker.</summary>
    NoMarkersOfDeletions,

    /// <summary>Nothing leaves a marker.</summary>
    NoMarkers,

    /// <summary>Effects and marker are stored one after another.</summary>
    SeveralBatches,

    /// <summary>Effects outside have a new id each time they are made.</summary>
    NewIdsOfEffects,
}
