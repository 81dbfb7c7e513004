namespace Jackdaw.Functions.CustomHandler.Configuration;

/// <summary>A setting is missing or wrong. The message names it and never shows a secret.</summary>
internal sealed class SettingException : Exception
{
    /// <summary>Creates the error with a sentence that names the setting.</summary>
    public SettingException(string message, Exception? inner = null)
        : base(message, inner) { }
}
